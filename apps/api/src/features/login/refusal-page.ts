import { type ErrorCode, errors } from '@rolecall/contract'
import type { ApiError } from '#platform/http/api-error'
import { page } from '#platform/http/page'
import { sectionAboutUri } from '../unlisted-uri.ts'

/** What happened and what to do, in a person's words. `site` is the site's name, or "the site". */
interface Words {
  readonly heading: string
  readonly what: (site: string) => string
  readonly advice: (site: string) => string
}

const startAgain = (site: string) => `Go back to ${site} and start the login again.`
const tellThem = (site: string) =>
  `${startAgain(site)} If this happens again, tell the people who run ${site}.`
const later = (site: string) => `Wait a moment. Then go back to ${site} and start the login again.`

const badLink: Words = {
  heading: 'This login link does not work',
  what: () => 'Something in the link is missing or damaged.',
  advice: tellThem,
}

const ourFault: Words = {
  heading: 'Logging in does not work right now',
  what: () => 'Something is wrong on our side, and nothing with your account.',
  advice: later,
}

const words: Partial<Record<ErrorCode, Words>> = {
  VALIDATION_FAILED: badLink,
  UNKNOWN_PROJECT: {
    heading: 'This site is not known here',
    what: () => 'The login link names a site that is not registered, or is no longer.',
    advice: (site) =>
      `Tell the people who run ${site}: they have to correct the link. Starting again will not help.`,
  },
  PROJECT_INACTIVE_AT_LOGIN: {
    heading: 'Logging in is switched off',
    what: (site) => `An admin of the community has switched off logging in to ${site}.`,
    advice: (site) => `Try again later, or ask the people who run ${site}.`,
  },
  REDIRECT_URI_NOT_ALLOWED: {
    heading: 'This login link is not safe to follow',
    what: (site) =>
      `It would send you on to an address that ${site} has not registered. You were not sent there.`,
    advice: (site) =>
      `Did the link come in a message? Then open ${site} yourself and log in there. Otherwise tell the people who run it.`,
  },
  SERVER_NOT_ACCESSIBLE: {
    heading: 'This login is for a server that the site may not use',
    what: (site) => `An admin of the community has to give ${site} access to the server first.`,
    advice: (site) => `Tell the people who run ${site}.`,
  },
  LOGIN_REQUEST_INVALID: {
    heading: 'This login is over',
    what: () => 'It was already used, was begun more than ten minutes ago, or was begun in another browser.',
    advice: startAgain,
  },
  NOT_SYSTEM_ADMIN: {
    heading: 'This page is for admins',
    what: () => 'This account may not log in here.',
    advice: () =>
      'Log in with an account that holds the admin role, or ask an admin of the community for it.',
  },
  MEMBER_BLOCKED: {
    heading: 'This account is blocked',
    what: () => 'An admin of the community has blocked it: it may not log in.',
    advice: () => 'Trying again will not help.',
  },
  ROLE_LACKING: {
    heading: 'You may not open this page',
    what: (site) => `Your account does not hold a role that ${site} asks for.`,
    advice: () =>
      'You are logged in. Ask an admin of the community for the role and try again: it counts at once.',
  },
  SESSION_NOT_FOUND: {
    heading: 'This is ended already',
    what: () => 'The session is over, or it is not yours.',
    advice: () => 'Go back to your account page and load it again.',
  },
  LOGIN_REFUSED: {
    heading: 'You were not logged in',
    what: () => 'The login was declined, or your account may not log in here.',
    advice: startAgain,
  },
  HOST_UNKNOWN: {
    heading: 'Nobody has set up logging in to this address',
    what: () => 'It is protected, and no project of the community says who may open it.',
    advice: (site) => `Tell the people who run ${site}: trying again will not help.`,
  },
  PROXY_NOT_TRUSTED: {
    heading: 'This address cannot be opened directly',
    what: () => 'It answers the web server in front of the site only, and does not know the one that asked.',
    advice: () => 'Tell the people who run the site: the server’s address belongs into TRUST_PROXY.',
  },
  FORWARDED_REQUEST_INVALID: {
    heading: 'The web server asked in a way that cannot be understood',
    what: () => 'What it said of your request is missing, or says two things at once.',
    advice: (site) => `Tell the people who run ${site}: trying again will not help.`,
  },
  NAVIGATION_REQUIRED: {
    heading: 'A login needs a window of its own',
    what: () => 'Another page tried to load the login inside itself.',
    advice: startAgain,
  },
  RATE_LIMITED: {
    heading: 'Too many logins at once',
    what: () => 'Many logins were begun from your network and not completed.',
    advice: () => 'Reload this page in a minute.',
  },
  LOGIN_NOT_CONFIGURED: {
    heading: 'Logging in is not set up yet',
    what: () => 'The login service has no account at the chat platform. Nothing is wrong with yours.',
    advice: (site) => `Tell the people who run ${site}: trying again will not help.`,
  },
  CHAT_PLATFORM_UNAVAILABLE: {
    heading: 'The chat platform does not answer',
    what: () => 'Your login could not be completed. Nothing is wrong with your account.',
    advice: later,
  },
}

/** The page for a browser that cannot go on. Technical words stand at its end, for whoever is asked about it. */
export function refusalPage({ code, details, status }: ApiError, requestId: string): string {
  const { again, isCancelled } = details
  if (again !== undefined && isCancelled) return cancelledPage(again, requestId)
  const { name = 'the site you came from' } = details.site ?? {}
  const { heading, what, advice } = words[code] ?? (status >= 500 ? ourFault : badLink)
  return page({
    title: heading,
    paragraphs: [details.detail ?? what(name), ...wrongParameters(details), advice(name)],
    link: wayOut(code, details),
    sections: details.unlisted ? [sectionAboutUri(name, details.unlisted)] : [],
    notes: [
      `For the people who run the site: ${errors[code].title} ${errors[code].mend}`,
      `Request ${requestId}`,
    ],
  })
}

/** Back to the site, or to the start of an admin login, which comes from no site. */
function wayOut(code: ErrorCode, { site, again }: ApiError['details']) {
  if (again !== undefined)
    return { href: again, text: code === 'ROLE_LACKING' ? 'Try again' : 'Start the login again' }
  return site?.href === undefined ? undefined : { href: site.href, text: `Back to ${site.name}` }
}

/** Nobody was found wanting: the person pressed Cancel at the platform. */
const cancelledPage = (again: string, requestId: string) =>
  page({
    title: 'You cancelled the login',
    paragraphs: ['You were not logged in. If that was a mistake, start again.'],
    link: { href: again, text: 'Start the login again' },
    notes: [`Request ${requestId}`],
  })

/** Which parameters are wrong, by name; how they should look is for programs, which ask for JSON. */
function wrongParameters({ errors: problems = [] }: ApiError['details']): string[] {
  const names = [...new Set(problems.map(({ path }) => path.slice(1, 41)))].slice(0, 8)
  return names.length === 0 ? [] : [`What is wrong with it: ${names.join(', ')}.`]
}
