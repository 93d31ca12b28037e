import { type ErrorCode, errors } from '@rolecall/contract'
import type { TextKey, Values } from '#languages/catalog'
import type { ApiError } from '#platform/http/api-error'
import { type RenderedPage, renderPage } from '#platform/http/page'
import type { Reader } from '#platform/http/reader'
import { sectionAboutUri } from '../../pages/unlisted-uri.ts'

/** The key of a text without placeholders. */
type PlainKey = { [Key in TextKey]: Values<Key> extends [] ? Key : never }[TextKey]

/** The texts of a refusal: what happened, and what to do. */
interface Words {
  readonly title: PlainKey
  readonly what: PlainKey
  readonly advice: PlainKey
}

const badLink: Words = { title: 'badLinkTitle', what: 'badLink', advice: 'goBackOrTell' }
const ourFault: Words = { title: 'ourFaultTitle', what: 'ourFault', advice: 'waitAndGoBack' }

/** The texts by error code. Other errors use `ourFault` for a status of 500 or more, and `badLink` below. */
const words: Partial<Record<ErrorCode, Words>> = {
  VALIDATION_FAILED: badLink,
  UNKNOWN_PROJECT: { title: 'unknownSiteTitle', what: 'unknownSite', advice: 'tellOwnersOnly' },
  PROJECT_INACTIVE_AT_LOGIN: { title: 'siteOffTitle', what: 'siteOff', advice: 'siteOffAdvice' },
  REDIRECT_URI_NOT_ALLOWED: { title: 'unsafeLinkTitle', what: 'unsafeLink', advice: 'unsafeLinkAdvice' },
  SERVER_NOT_ACCESSIBLE: { title: 'noServerTitle', what: 'noServer', advice: 'tellOwners' },
  MAIN_SERVER_MISSING: { title: 'notSetUpTitle', what: 'notSetUp', advice: 'tellOwnersOnly' },
  LOGIN_REQUEST_INVALID: { title: 'overTitle', what: 'over', advice: 'goBack' },
  NOT_SYSTEM_ADMIN: { title: 'adminsOnlyTitle', what: 'adminsOnly', advice: 'adminsOnlyAdvice' },
  MEMBER_BLOCKED: { title: 'blockedTitle', what: 'blocked', advice: 'blockedAdvice' },
  ROLE_LACKING: { title: 'roleTitle', what: 'role', advice: 'roleAdvice' },
  SESSION_NOT_FOUND: { title: 'endedTitle', what: 'ended', advice: 'endedAdvice' },
  LOGIN_REFUSED: { title: 'refusedTitle', what: 'refused', advice: 'goBack' },
  HOST_UNKNOWN: { title: 'hostTitle', what: 'host', advice: 'tellOwnersOnly' },
  PROXY_NOT_TRUSTED: { title: 'proxyTitle', what: 'proxy', advice: 'tellOwnersOnly' },
  FORWARDED_REQUEST_INVALID: { title: 'forwardedTitle', what: 'forwarded', advice: 'tellOwnersOnly' },
  NAVIGATION_REQUIRED: { title: 'windowTitle', what: 'window', advice: 'goBack' },
  RATE_LIMITED: { title: 'tooManyTitle', what: 'tooMany', advice: 'tooManyAdvice' },
  LOGIN_NOT_CONFIGURED: { title: 'notSetUpTitle', what: 'notSetUp', advice: 'tellOwnersOnly' },
  CHAT_PLATFORM_UNAVAILABLE: { title: 'discordDownTitle', what: 'discordDown', advice: 'waitAndGoBack' },
}

/**
 * Renders the page for a person whose sign-in was refused. Its footer has the technical details, for the people who run
 * the site.
 */
export function refusalPage(error: ApiError, requestId: string, plainReader: Reader): RenderedPage {
  const { code, details, status } = error
  const { again, isCanceled, isOurFault, site, unlisted, notice, brand } = details
  const reader = brand ? { ...plainReader, brand } : plainReader
  if (again !== undefined && isCanceled) return canceledPage(again, requestId, reader)
  const { say } = reader
  const texts = isOurFault ? ourFault : (words[code] ?? (status >= 500 ? ourFault : badLink))
  const { title, what, advice } = texts
  const [first = say(what), ...rest] = notice?.(reader) ?? [say(what), say(advice)]
  return renderPage(reader, {
    title: say(title),
    paragraphs: [first, ...invalidNames(details, reader), ...rest],
    link: wayOut(code, details, reader),
    sections: site && unlisted ? [sectionAboutUri(reader, site.name, unlisted)] : [],
    technical: technicalOf(error),
    requestId,
  })
}

/**
 * Returns the meaning of the error and its fix, without the marks of code. Replaces the fix of VALIDATION_FAILED, which
 * explains fields of the JSON response, by the problems. Omits the detail if the notice of the page contains it.
 */
function technicalOf({ code, details, message }: ApiError): string {
  const { title, fix } = errors[code]
  if (code === 'VALIDATION_FAILED') {
    const found = listedProblems(details).map(({ name, message }) => ` ${name} ${message}.`)
    return title + found.join('')
  }
  return `${title} ${details.notice ? fix : message}`.replaceAll('`', '')
}

/** Returns the link of the page: to the start of the sign-in if it can be repeated here, or back to the site. */
function wayOut(code: ErrorCode, { site, again }: ApiError['details'], { say }: Reader) {
  if (again !== undefined)
    return { href: again, text: code === 'ROLE_LACKING' ? say('tryAgain') : say('startAgain') }
  return site?.href === undefined ? undefined : { href: site.href, text: say('backTo', { site: site.name }) }
}

/** Renders the page for a person who pressed Cancel at Discord: nothing is wrong with their account. */
const canceledPage = (again: string, requestId: string, reader: Reader) =>
  renderPage(reader, {
    title: reader.say('canceledTitle'),
    paragraphs: [reader.say('canceled')],
    link: { href: again, text: reader.say('startAgain') },
    requestId,
  })

/** Names the invalid parameters. Their problems are in the technical details. */
function invalidNames(details: ApiError['details'], { say }: Reader): string[] {
  const names = [...new Set(listedProblems(details).map(({ name }) => name))]
  return names.length === 0 ? [] : [say('wrongParameters', { names: names.join(', ') })]
}

/** Returns the first eight problems, each with the start of the parameter's name, which a stranger may have chosen. */
const listedProblems = ({ errors: problems = [] }: ApiError['details']) =>
  problems.slice(0, 8).map(({ path, message }) => ({ name: path.slice(1, 41), message }))
