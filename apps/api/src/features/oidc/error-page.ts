import { type RenderedPage, renderPage } from '#platform/http/page'
import type { Reader } from '#platform/http/reader'
import { sectionAboutUri, type UnlistedUri } from '../../pages/unlisted-uri.ts'

const badLink = { title: 'badLinkTitle', what: 'badLink', advice: 'goBackOrTell' } as const
const ourFault = { title: 'ourFaultTitle', what: 'ourFault', advice: 'waitAndGoBack' } as const
/** The texts for a step of a sign-in that this browser did not begin, or began too long ago. */
const lost = { title: 'overTitle', what: 'over', advice: 'goBack' } as const

/** The keys of the texts for one error: the title, the problem, and what to do. */
type Words = (typeof words)[keyof typeof words] | typeof badLink | typeof lost

const words = {
  invalid_client: { title: 'unknownSiteTitle', what: 'unknownSite', advice: 'tellOwnersOnly' },
  invalid_redirect_uri: { title: 'unsafeLinkTitle', what: 'unsafeLink', advice: 'unsafeLinkAdvice' },
  temporarily_unavailable: ourFault,
  server_error: ourFault,
  // The member was signed out during the sign-in.
  login_required: lost,
  access_denied: { title: 'refusedTitle', what: 'refused', advice: 'goBack' },
} as const

const isKnown = (error: string): error is keyof typeof words => Object.hasOwn(words, error)
const wordsOf = (error: string): Words => (isKnown(error) ? words[error] : badLink)

/** An error of the protocol that is shown as a page, because it cannot redirect to the client. */
export interface ProtocolError {
  /** The error code, for example `invalid_client`. */
  readonly error: string
  readonly description: string | undefined
  /** True if the browser did not begin this sign-in, or began it too long ago. */
  readonly isSessionMissing: boolean
  /** A redirect URI that is not on the list of a known project, and the project's name. */
  readonly unlisted?: UnlistedUri & { readonly name: string }
}

/**
 * The description that oidc-provider gives to an unknown client. It does not tell the people who run the site what to
 * do.
 */
const unknownClient = 'client is invalid'

/** Returns the details for the people who run the site. */
function technicalOf({ error, description }: ProtocolError): string {
  if (description === unknownClient) {
    return `${error}: no active project with OpenID Connect has this client_id. Check the client ID, and turn on OpenID Connect in the project.`
  }
  return description === undefined ? error : `${error}, ${description}`
}

/** Renders the page for an error. Its footer has the technical details, for the people who run the site. */
export function errorPage(reader: Reader, problem: ProtocolError, requestId: string): RenderedPage {
  const { say } = reader
  const { error, isSessionMissing, unlisted } = problem
  const { title, what, advice } = isSessionMissing ? lost : wordsOf(error)
  return renderPage(reader, {
    title: say(title),
    paragraphs: [say(what), say(advice)],
    sections: unlisted ? [sectionAboutUri(reader, unlisted.name, unlisted)] : [],
    technical: technicalOf(problem),
    requestId,
  })
}
