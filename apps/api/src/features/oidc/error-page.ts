import { page } from '#platform/http/page'
import { sectionAboutUri, type UnlistedUri } from '../unlisted-uri.ts'

/** What happened and what to do, in a person's words. */
interface Words {
  readonly heading: string
  readonly what: string
  readonly advice: string
}

const startAgain = 'Go back to the site you came from and start again.'
const tellThem = `${startAgain} If this happens again, tell the people who run the site.`

const badLink: Words = {
  heading: 'This login link does not work',
  what: 'Something in the link is missing, damaged or not allowed.',
  advice: tellThem,
}

const words: Readonly<Record<string, Words>> = {
  invalid_client: {
    heading: 'This site is not known here',
    what: 'The link names a site that is not registered, or is switched off.',
    advice: 'Tell the people who run the site: they have to correct it. Starting again will not help.',
  },
  invalid_redirect_uri: {
    heading: 'This login link is not safe to follow',
    what: 'It would send you on to an address that the site has not registered. You were not sent there.',
    advice:
      'Did the link come in a message? Then open the site yourself and log in there. Otherwise tell the people who run it.',
  },
  temporarily_unavailable: {
    heading: 'This does not work right now',
    what: 'Something is out of order for the moment, and nothing is wrong with your account.',
    advice: `Wait a moment. ${startAgain}`,
  },
  server_error: {
    heading: 'This does not work right now',
    what: 'Something is wrong on our side, and nothing with your account.',
    advice: `Wait a moment. ${startAgain}`,
  },
  access_denied: {
    heading: 'You were not let in',
    what: 'The site asked for something that this account may not have, or you said no.',
    advice: startAgain,
  },
}

/** A step of a login that this browser did not begin, or began too long ago. */
const lost: Words = {
  heading: 'This page is over',
  what: 'It was already used, was opened more than ten minutes ago, or was begun in another browser.',
  advice: startAgain,
}

export interface ProtocolError {
  readonly error: string
  readonly description: string | undefined
  readonly isLost: boolean
  /** Of a project that is known: its name, and the redirect URI that is not on its list. */
  readonly unlisted?: UnlistedUri & { readonly name: string }
}

/** The page for a browser that cannot go on. Technical words stand at its end, for whoever is asked about it. */
export function errorPage(
  { error, description, isLost, unlisted }: ProtocolError,
  requestId: string,
): string {
  const { heading, what, advice } = isLost ? lost : (words[error] ?? badLink)
  return page({
    title: heading,
    paragraphs: [what, advice],
    link: undefined,
    sections: unlisted ? [sectionAboutUri(unlisted.name, unlisted)] : [],
    notes: [
      `For the people who run the site: ${error}${description === undefined ? '' : `, ${description}`}`,
      `Request ${requestId}`,
    ],
  })
}
