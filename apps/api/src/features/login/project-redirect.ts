import type { LoginRefusal } from '../../pages/refusal-notice.ts'

/** The values of `error` in the redirect of a refused sign-in (RFC 6749 §4.1.2.1, OpenID Connect Core §3.1.2.6). */
type LoginError = 'access_denied' | 'temporarily_unavailable' | 'server_error' | 'login_required'

/** The name of the server to sign in to. Undefined if it is unknown or not shown. */
type ServerName = string | undefined

interface Refusal {
  readonly error: LoginError
  /** Describes the problem to the person who signs in. */
  readonly describe: (server: ServerName) => string
  /** The fix, for the people who run the community or the service. */
  readonly fix: string
}

/** The texts of each refusal. */
const refusals: Record<LoginRefusal, Refusal> = {
  declined: {
    error: 'access_denied',
    describe: () => 'The sign-in was declined.',
    fix: 'Ask the member to sign in again, and to agree.',
  },
  not_a_member: {
    error: 'access_denied',
    describe: (server) =>
      // Discord does not distinguish a ban from a departure, so the sentence covers both.
      `This account is not a member of ${server ?? 'the server'}. If it has not joined yet, join and sign in again. If it was removed or banned, ask the moderators of the server.`,
    fix: 'Ask the member to join the server on Discord, or lift the ban there.',
  },
  // The sentence contains neither the reason nor the end of the block, because the project receives it, too.
  blocked: {
    error: 'access_denied',
    describe: () =>
      'This account is blocked by an admin of the community. To ask about it, write to the moderators.',
    fix:
      'Remove the block with Unblock on the page of the member in the console, or with DELETE ' +
      '/api/admin/members/{id}/block.',
  },
  not_an_admin: {
    error: 'access_denied',
    describe: (server) =>
      `This account does not have the admin role in ${server ?? 'the main server'}, and it has nothing else to manage here.`,
    fix:
      'Give the member the admin role in the main server on Discord, or make them an owner of a project on ' +
      'its Settings tab in the console.',
  },
  no_access: {
    error: 'access_denied',
    describe: (server) => `This site no longer has access to ${server ?? 'the server'}.`,
    fix:
      'Grant the project READ on the page Access of the console, and register its redirect URI on the ' +
      'Redirects tab of the project.',
  },
  temporarily_unavailable: {
    error: 'temporarily_unavailable',
    describe: () => 'Discord cannot be reached right now. Try again in a moment.',
    fix: 'Wait until Discord responds. GET /api/admin/monitoring/health shows its state. Existing sessions stay valid.',
  },
  server_error: {
    error: 'server_error',
    describe: () => 'The sign-in could not be completed.',
    fix: 'Check that the bot is in the server and that its token is valid. `rolecall doctor` checks both.',
  },
  login_required: {
    error: 'login_required',
    describe: () => 'This browser has to sign in first.',
    fix: 'Start a sign-in without prompt=none.',
  },
}

/** Returns the `error` that the redirect URI receives, and the fix. */
export const refusalOf = (refusal: LoginRefusal): { readonly code: LoginError; readonly fix: string } => ({
  code: refusals[refusal].error,
  fix: refusals[refusal].fix,
})

/** Describes a refusal in sentences for the person who signs in. */
export const describeRefusal = (refusal: LoginRefusal, server: ServerName): string =>
  refusals[refusal].describe(server)

/** The redirect URI of a sign-in, and its `state`; null if the client sent none. */
interface Destination {
  readonly redirectUri: string
  readonly state: string | null
}

/** Converts a refusal to the parameters of an error redirect. Every protocol uses the same texts. */
export const toLoginProblem = (refusal: LoginRefusal, server: ServerName) => {
  const { error, describe } = refusals[refusal]
  return { error, reason: refusal, description: describe(printable(server)) }
}

/**
 * Returns the name if `error_description` may contain it: printable ASCII without quotation mark and backslash (RFC
 * 6749 §4.1.2.1). Otherwise returns undefined, because a changed name would be wrong.
 */
const printable = (server: ServerName): ServerName =>
  server !== undefined && /^[\x20\x21\x23-\x5b\x5d-\x7e]+$/.test(server) ? server : undefined

/** Returns the address of the project's redirect with a code, and with the issuer in `iss` (RFC 9207). */
export const withCode = (destination: Destination, code: string, issuer: string) =>
  back(destination, { code }, issuer)

/** Returns the address of the project's redirect with an error. */
export const withError = (
  destination: Destination,
  refusal: LoginRefusal,
  issuer: string,
  server?: ServerName,
) => {
  const { error, description } = toLoginProblem(refusal, server)
  return back(destination, { error, error_reason: refusal, error_description: description }, issuer)
}

/** Appends parameters to the registered redirect URI, and keeps the URI's own parameters byte for byte. */
function back({ redirectUri, state }: Destination, parameters: Record<string, string>, issuer: string) {
  const query = new URLSearchParams({ ...parameters, ...(state !== null && { state }), iss: issuer })
  const glue = redirectUri.includes('?') ? (/[?&]$/.test(redirectUri) ? '' : '&') : '?'
  return `${redirectUri}${glue}${query}`
}
