/** RFC 6749 §4.1.2.1 and OpenID Connect: what a login can end in besides a code. */
export type LoginError = 'access_denied' | 'temporarily_unavailable' | 'server_error' | 'login_required'

const descriptions: Record<LoginError, string> = {
  access_denied: 'The login was declined, or this account is not a member of the server.',
  temporarily_unavailable: 'The chat platform cannot be reached right now. Try again in a moment.',
  server_error: 'The login could not be completed.',
  login_required: 'This browser has to log in first.',
}

interface Destination {
  readonly redirectUri: string
  readonly state: string | null
}

/** The way back to the project with a code; `iss` says who sends it (RFC 9207). */
export const withCode = (destination: Destination, code: string, issuer: string) =>
  back(destination, { code }, issuer)

/** The way back to the project with an error. */
export const withError = (destination: Destination, error: LoginError, issuer: string) =>
  back(destination, { error, error_description: descriptions[error] }, issuer)

/** Appends to the redirect URI as it was registered: what it already carries stays as it is, byte for byte. */
function back({ redirectUri, state }: Destination, parameters: Record<string, string>, issuer: string) {
  const query = new URLSearchParams({ ...parameters, ...(state !== null && { state }), iss: issuer })
  const glue = redirectUri.includes('?') ? (/[?&]$/.test(redirectUri) ? '' : '&') : '?'
  return `${redirectUri}${glue}${query}`
}
