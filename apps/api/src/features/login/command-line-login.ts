import { randomBytes } from 'node:crypto'
import { login } from '@rolecall/contract'
import { digestOf } from '#platform/crypto/tokens'
import type { Tx } from '#platform/db/database'
import { type AuthRequest, insertCode } from './store.ts'

/** The redirect URI of a sign-in that shows its code on a page. */
const shownOnPage = login.confirmationPage.path
/** The lifetime of a confirmation, in which a person reads the page and decides. */
const confirmationTtlSec = 300

type Destination = Pick<AuthRequest, 'projectId' | 'redirectUri' | 'codeChallenge'>

/**
 * Returns true for a sign-in of a command line. It requires a challenge, because any program that sees the code could
 * otherwise redeem it.
 */
export const isForCommandLine = ({ projectId, redirectUri, codeChallenge }: Destination): boolean =>
  projectId === null &&
  codeChallenge !== null &&
  (isShown(redirectUri) || login.isLoopbackRedirect(redirectUri))

/** Returns true if the code is shown on a page, because no program listens for it. */
export const isShown = (redirectUri: string): boolean => redirectUri === shownOnPage

interface CommandLine {
  readonly redirect_uri?: string | undefined
  readonly response_mode?: string | undefined
}

/** Returns the address that receives the code of a command line, or undefined for a sign-in of a browser. */
export const commandLineTarget = ({ redirect_uri, response_mode }: CommandLine): string | undefined =>
  redirect_uri ?? (response_mode === undefined ? undefined : shownOnPage)

/** Returns the parameters that start the same sign-in again. */
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

interface Waiting extends Pick<AuthRequest, 'browserDigest' | 'serverId'> {
  readonly redirectUri: string
  readonly state: string | null
  readonly codeChallenge: string | null
  readonly memberId: string
  readonly ip: string | null
  readonly userAgent: string | null
}

/**
 * Stores the data for the code that a confirmation issues, and returns the address of the confirmation page.
 *
 * The data is a row in the table of codes, so that everything that voids codes also voids this row. Its digest belongs
 * to a value without the form of a code, so the row cannot be redeemed. Only the confirmation gives the row the digest
 * of a code.
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
    // The row has no column for the state, so the address contains it.
    redirectUri: state === null ? redirectUri : `${redirectUri}?${new URLSearchParams({ state })}`,
    ttlSec: confirmationTtlSec,
  })
  return `${login.confirmationPage.path}?${new URLSearchParams({ request })}`
}
