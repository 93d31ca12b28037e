/** RFC 6749 §4.1.2.1 and OpenID Connect: what a login can end in besides a code. */
type LoginError = 'access_denied' | 'temporarily_unavailable' | 'server_error' | 'login_required'

/** Why a login ended without a code. */
export type LoginRefusal =
  | 'declined'
  | 'not_a_member'
  | 'not_an_admin'
  | 'no_access'
  | 'temporarily_unavailable'
  | 'server_error'
  | 'login_required'

/** The name of the server that the login was for; undefined where there is none to tell. */
type ServerName = string | undefined

const refusals: Record<LoginRefusal, { error: LoginError; tell: (server: ServerName) => string }> = {
  declined: { error: 'access_denied', tell: () => 'The login was declined at the chat platform.' },
  not_a_member: {
    error: 'access_denied',
    tell: (server) =>
      // The platform shows a ban and a departure as the same absence: the sentence is right for both.
      `This account is not a member of ${server ?? 'the server'}. If it has not joined yet, join and log in again. If it was removed or banned, ask the moderators of the server.`,
  },
  not_an_admin: {
    error: 'access_denied',
    tell: (server) => `This account does not hold the admin role of ${server ?? 'the main server'}.`,
  },
  no_access: {
    error: 'access_denied',
    tell: (server) => `This site may no longer use ${server ?? 'the server'}.`,
  },
  temporarily_unavailable: {
    error: 'temporarily_unavailable',
    tell: () => 'The chat platform cannot be reached right now. Try again in a moment.',
  },
  server_error: { error: 'server_error', tell: () => 'The login could not be completed.' },
  login_required: { error: 'login_required', tell: () => 'This browser has to log in first.' },
}

/** A refusal as a sentence for a person. */
export const describeRefusal = (refusal: LoginRefusal, server: ServerName): string =>
  refusals[refusal].tell(server)

interface Destination {
  readonly redirectUri: string
  readonly state: string | null
}

/** The way back to the project with a code; `iss` says who sends it (RFC 9207). */
export const withCode = (destination: Destination, code: string, issuer: string) =>
  back(destination, { code }, issuer)

/** The way back to the project with an error. */
export const withError = (
  destination: Destination,
  refusal: LoginRefusal,
  issuer: string,
  server?: ServerName,
) => {
  const { error, tell } = refusals[refusal]
  // RFC 6749 §4.1.2.1: printable ASCII without quote and backslash. A name beyond that is left out, not mangled.
  const name = server !== undefined && /^[\x20\x21\x23-\x5b\x5d-\x7e]+$/.test(server) ? server : undefined
  return back(destination, { error, error_description: tell(name) }, issuer)
}

/** Appends to the redirect URI as it was registered: what it already carries stays as it is, byte for byte. */
function back({ redirectUri, state }: Destination, parameters: Record<string, string>, issuer: string) {
  const query = new URLSearchParams({ ...parameters, ...(state !== null && { state }), iss: issuer })
  const glue = redirectUri.includes('?') ? (/[?&]$/.test(redirectUri) ? '' : '&') : '?'
  return `${redirectUri}${glue}${query}`
}
