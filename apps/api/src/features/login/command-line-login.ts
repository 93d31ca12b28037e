import { randomBytes } from 'node:crypto'
import { login } from '@rolecall/contract'
import { digestOf } from '#platform/crypto/tokens'
import type { Tx } from '#platform/db/database'
import { type AuthRequest, insertCode } from './store.ts'

/** The stored redirect URI of a sign-in whose code is shown on a page. It is the path of the confirmation page. */
const shownOnPage = login.confirmationPage.path
/** The seconds that a person has to read the confirmation page and decide. */
const confirmationTtlSec = 300

type Destination = Pick<AuthRequest, 'projectId' | 'redirectUri' | 'codeChallenge'>

/**
 * Returns true for a sign-in from a command line. The request must have a code challenge (PKCE), because any program
 * that sees the code could otherwise redeem it.
 */
export const isForCommandLine = ({ projectId, redirectUri, codeChallenge }: Destination): boolean =>
  projectId === null &&
  codeChallenge !== null &&
  (isShown(redirectUri) || login.isLoopbackRedirect(redirectUri))

/** Returns true if the code is shown on a page for the person to copy, because no program listens for it. */
export const isShown = (redirectUri: string): boolean => redirectUri === shownOnPage

/** The parameters of an admin sign-in that are set only by a command line. */
interface CommandLine {
  readonly redirect_uri?: string | undefined
  readonly response_mode?: string | undefined
}

/** Returns the address that receives the code of a command line, or undefined for a sign-in in a browser. */
export const commandLineTarget = ({ redirect_uri, response_mode }: CommandLine): string | undefined =>
  redirect_uri ?? (response_mode === undefined ? undefined : shownOnPage)

/** Returns the query that starts the same sign-in again. */
export function commandLineQuery({
  redirectUri,
  codeChallenge,
  state,
}: Pick<AuthRequest, 'redirectUri' | 'codeChallenge' | 'state'>): URLSearchParams {
  return new URLSearchParams({
    ...(isShown(redirectUri) ? { response_mode: 'page' } : { redirect_uri: redirectUri }),
    code_challenge: codeChallenge ?? '',
    code_challenge_method: 'S256',
    ...(state !== null && { state }),
  })
}

/** A sign-in from a command line that the person has not confirmed yet. */
interface Waiting extends Pick<AuthRequest, 'browserDigest' | 'serverId'> {
  readonly redirectUri: string
  readonly state: string | null
  readonly codeChallenge: string | null
  readonly memberId: string
  readonly ip: string | null
  readonly userAgent: string | null
}

/**
 * Stores a sign-in that waits for its confirmation, and returns the address of the confirmation page.
 *
 * The sign-in is a row in the table of codes, so that everything that voids codes also voids this row. Its digest is
 * that of a value without the form of a code, so the row cannot be redeemed. Only the confirmation replaces the digest
 * with the digest of a code.
 */
export async function storeForConfirmation(
  tx: Tx,
  { redirectUri, state, ...rest }: Waiting,
): Promise<string> {
  const request = randomBytes(32).toString('base64url')
  await insertCode(tx, {
    ...rest,
    projectId: null,
    digest: digestOf(request),
    // The table has no column for the state, so it is stored in the redirect URI.
    redirectUri: state === null ? redirectUri : `${redirectUri}?${new URLSearchParams({ state })}`,
    ttlSec: confirmationTtlSec,
  })
  return `${login.confirmationPage.path}?${new URLSearchParams({ request })}`
}
