import type { ProblemCode } from '../problem.ts'
import { problem } from './answers.ts'
import { type Incoming, isNavigation } from './incoming.ts'
import { catalogs, type PageLanguage } from './languages/catalogs.ts'
import { renderPage } from './page.ts'
import { type PageCode, pageKinds } from './page-details.ts'
import { languageOf } from './page-language.ts'
import { replacementFor } from './replace-page.ts'
import type { Settings } from './settings.ts'

interface Refusal {
  /** The address at which the visitor can try again. */
  readonly retryUrl?: string | undefined
  readonly headers?: Record<string, string>
  /** The reason for a failed sign-in, as the service sent it, e.g. `not_a_member`. */
  readonly reason?: string | undefined
  /** The service's sentence about the reason, in English. It is more precise than the text of the code. */
  readonly serviceText?: string | undefined
}

/** The reasons for which the catalogs have a text. */
const knownReasons = [
  'declined',
  'not_a_member',
  'blocked',
  'no_access',
  'temporarily_unavailable',
  'server_error',
] as const
/** The reasons for which another attempt would have the same result. The page then offers no retry. */
const finalReasons: ReadonlySet<string | undefined> = new Set(['blocked', 'no_access'])

/** Returns the response that refuses a request: a page for a person, or problem JSON for a program. */
export async function refuse(
  settings: Settings,
  request: Incoming,
  status: number,
  code: ProblemCode,
  refusal: Refusal = {},
): Promise<Response> {
  const response = isNavigation(request)
    ? await respondWithPage(settings, request, status, code, refusal)
    : problem(status, code, refusal.serviceText)
  for (const [name, value] of Object.entries(refusal.headers ?? {})) response.headers.set(name, value)
  return response
}

/** Returns a page for a person: the page of the app if it has one, or else the page of this library. */
export async function respondWithPage(
  settings: Settings,
  request: Incoming,
  status: number,
  code: ProblemCode | 'SIGNED_OUT',
  refusal: Refusal = {},
): Promise<Response> {
  const language = languageOf(settings, request)
  const texts = catalogs[language]
  const home = { href: '/', text: texts.startPage }
  if (!isPageCode(code)) {
    return renderPage({ status, language, title: texts.NOT_FOUND, description: '', link: home })
  }
  const { reason } = refusal
  const retryUrl = finalReasons.has(reason) ? undefined : refusal.retryUrl
  const { description, descriptionLanguage } = describe(language, code, refusal)
  const title = code === 'ROLE_REQUIRED' ? texts.roleTitle : texts[`${pageKinds[code]}Title`]
  const details = { kind: pageKinds[code], code, reason, status, language, title, description, retryUrl }
  const replacement = request.isRedirectOnly ? undefined : await replacementFor(settings, details)
  const link = retryUrl === undefined ? home : { href: retryUrl, text: texts.tryAgain }
  return replacement ?? renderPage({ ...details, descriptionLanguage, link })
}

/**
 * Returns the description for a visitor. In English, the service's sentence comes first. In other languages, it is only
 * used for a reason that has no text, and is then marked as English.
 */
function describe(
  language: PageLanguage,
  code: PageCode,
  { reason, serviceText }: Refusal,
): { description: string; descriptionLanguage?: 'en' } {
  if (code === 'SIGNED_OUT') return { description: '' }
  const known = knownReasons.find((one) => one === reason)
  if (serviceText && language === 'en') return { description: serviceText }
  if (known) return { description: catalogs[language][known] }
  if (serviceText) return { description: serviceText, descriptionLanguage: 'en' }
  return { description: catalogs[language][code] }
}

const isPageCode = (code: string): code is PageCode => Object.hasOwn(pageKinds, code)
