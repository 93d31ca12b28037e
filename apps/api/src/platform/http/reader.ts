import type { IncomingMessage } from 'node:http'
import type { Language } from '@rolecall/contract'
import { languageOfHeader, languageOfLocales } from '#languages/choose-language'
import { findLanguage } from '#languages/language'
import { type Say, sayIn } from '#languages/say'
import { maskCredentials } from '#platform/crypto/tokens'
import type { Brand } from './brand.ts'
import { cookie, readCookie } from './cookies.ts'

/** The reader of a page: their language, and the address to which they return after choosing another one. */
export interface Reader {
  readonly language: Language
  readonly say: Say
  /** The path and query of the page, or undefined if it cannot be loaded again. */
  readonly path?: string | undefined
  /** The community and the site of the page, if they are known. */
  readonly brand?: Brand
}

/** The cookie with a person's choice of language. */
const choiceCookie = 'svc_lang'
/** The cookie with a site's preference, for the pages of one sign-in. */
const loginCookie = 'svc_ui_locales'
const choiceTtlSec = 365 * 24 * 3_600
/** The maximum duration of a sign-in. */
const loginTtlSec = 600
/** The maximum length of an address that a page repeats in a link for each language. */
const maxPathLength = 2_000

/** Explains a refusal to a person, in their language: the problem, and the next step. */
export type Notice = (reader: Reader) => readonly string[]

export const inLanguage = (language: Language, path?: string): Reader => ({
  language,
  say: sayIn(language),
  path,
})

type Asked = Pick<IncomingMessage, 'headers' | 'url' | 'method'>

/**
 * Returns the language of a request: `ui_locales` of the sign-in, the choice of the person, their browser, English.
 */
export function readerOf(request: Asked, { hasSwitch = true } = {}): Reader {
  const { headers, url = '/' } = request
  const [path = '/'] = url.split('?', 1)
  const query = new URLSearchParams(url.slice(path.length))
  const locales = query.get('ui_locales') ?? readCookie(headers.cookie, loginCookie) ?? ''
  const language =
    languageOfLocales(locales) ??
    findLanguage(readCookie(headers.cookie, choiceCookie) ?? '') ??
    languageOfHeader(headers['accept-language'] ?? '') ??
    'en'
  // The next choice replaces the preference of the site.
  query.delete('ui_locales')
  const here = query.size > 0 ? `${path}?${query}` : path
  const isShown = here.length <= maxPathLength && maskCredentials(here) === here
  const isReloadable = hasSwitch && request.method === 'GET' && isShown
  return inLanguage(language, isReloadable ? here : undefined)
}

const terms = (publicUrl: string, maxAgeSec: number) =>
  ({ path: '/', maxAgeSec, sameSite: 'lax', secure: publicUrl.startsWith('https:') }) as const

/** The maximum length of a list of languages, because its cookie must fit into the headers that a proxy reads. */
const maxLocalesLength = 256

/** Returns the cookies that store the `ui_locales` of a sign-in until it ends. */
export const localesCookies = (publicUrl: string, locales: string | undefined): string[] =>
  locales !== undefined && locales.length <= maxLocalesLength && languageOfLocales(locales) !== undefined
    ? [cookie(loginCookie, locales, terms(publicUrl, loginTtlSec))]
    : []

/** Returns the cookies that store a person's choice of language, which replaces the preference of a site. */
export const languageCookies = (publicUrl: string, language: Language): string[] => [
  cookie(choiceCookie, language, terms(publicUrl, choiceTtlSec)),
  cookie(loginCookie, '', terms(publicUrl, 0)),
]
