import type { IncomingMessage } from 'node:http'
import type { Language } from '@rolecall/contract'
import { languageOfHeader, languageOfLocales } from '#languages/choose-language'
import { findLanguage } from '#languages/language'
import { type Say, sayIn } from '#languages/say'
import { maskCredentials } from '#platform/crypto/tokens'
import type { Brand } from './brand.ts'
import { cookie, readCookie } from './cookies.ts'

/** The person who reads a page: their language, and where they return after they choose another one. */
export interface Reader {
  readonly language: Language
  readonly say: Say
  /** The path and query of the page. Undefined if the page cannot be loaded again. */
  readonly path?: string | undefined
  /** The community and the site that the page belongs to, if they are known. */
  readonly brand?: Brand
}

/** The cookie with the language that a person has chosen. */
const choiceCookie = 'svc_lang'
/** The cookie with the language that a site prefers (`ui_locales`), for the pages of one sign-in. */
const loginCookie = 'svc_ui_locales'
const choiceTtlSec = 365 * 24 * 3_600
/** The time for which the language of a site is stored: the maximum duration of a sign-in. */
const loginTtlSec = 600
/** The maximum length of an address that a page repeats in its links to other languages. */
const maxPathLength = 2_000

/** Explains to a person, in their language, why a request was refused and what to do next. */
export type Notice = (reader: Reader) => readonly string[]

/** Creates a reader with a known language, without a brand. */
export const inLanguage = (language: Language, path?: string): Reader => ({
  language,
  say: sayIn(language),
  path,
})

type RequestHead = Pick<IncomingMessage, 'headers' | 'url' | 'method'>

/**
 * Returns the reader of a page. The language is the first of: `ui_locales` of the sign-in, the person's choice, the
 * languages of the browser, English.
 */
export function readerOf(request: RequestHead, { hasSwitch = true } = {}): Reader {
  const { headers, url = '/' } = request
  const [path = '/'] = url.split('?', 1)
  const query = new URLSearchParams(url.slice(path.length))
  const locales = query.get('ui_locales') ?? readCookie(headers.cookie, loginCookie) ?? ''
  const language =
    languageOfLocales(locales) ??
    findLanguage(readCookie(headers.cookie, choiceCookie) ?? '') ??
    languageOfHeader(headers['accept-language'] ?? '') ??
    'en'
  // Left out of the links, because a choice of language must replace the preference of the site.
  query.delete('ui_locales')
  const here = query.size > 0 ? `${path}?${query}` : path
  const isShown = here.length <= maxPathLength && maskCredentials(here) === here
  const isReloadable = hasSwitch && request.method === 'GET' && isShown
  return inLanguage(language, isReloadable ? here : undefined)
}

const terms = (publicUrl: string, maxAgeSec: number) =>
  ({ path: '/', maxAgeSec, sameSite: 'lax', secure: publicUrl.startsWith('https:') }) as const

/**
 * The maximum length of `ui_locales`. It is stored in a cookie, which must fit into the headers that a proxy accepts.
 */
const maxLocalesLength = 256

/**
 * Returns the cookie that stores `ui_locales` for the rest of a sign-in, or nothing if it contains no known language.
 */
export const localesCookies = (publicUrl: string, locales: string | undefined): string[] =>
  locales !== undefined && locales.length <= maxLocalesLength && languageOfLocales(locales) !== undefined
    ? [cookie(loginCookie, locales, terms(publicUrl, loginTtlSec))]
    : []

/** Returns the cookies that store the language that a person chose, and delete the preference of the site. */
export const languageCookies = (publicUrl: string, language: Language): string[] => [
  cookie(choiceCookie, language, terms(publicUrl, choiceTtlSec)),
  cookie(loginCookie, '', terms(publicUrl, 0)),
]
