import { createHash, randomBytes } from 'node:crypto'
import { createInterface } from 'node:readline'
import { login } from '@rolecall/contract'
import { StartRefused } from '../../process/start-refused.ts'
import { readAddress, refusedBy, requestService, textOf } from './ask-service.ts'
import { checkIssuer } from './check-issuer.ts'
import { openBrowser } from './open-browser.ts'
import { receiveCode } from './receive-code.ts'
import { type KeptSession, keepSession } from './session-file.ts'

/** The flags of `rolecall login`. */
export interface LoginOptions {
  readonly paste?: boolean
  readonly wait: string
}

/**
 * Signs this shell in to the administration. A browser signs in and delivers a code. The code is redeemed with a
 * verifier that never leaves this process (PKCE, RFC 7636).
 */
export async function loginCommand(given: string | undefined, { paste, wait }: LoginOptions): Promise<void> {
  const address = readAddress(given)
  const waitSec = readWait(wait)
  // Names the source of the address, because someone else may have written the `.env` file.
  console.log(`Signing in to ${address}${given === undefined ? ', which PUBLIC_URL names' : ''}.`)
  const verifier = randomBytes(32).toString('base64url')
  const signIn = { address, challenge: createHash('sha256').update(verifier).digest('base64url') }
  const redeem = async (code: string) => {
    const session = await redeemCode(address, code, verifier)
    keepSession(address, session)
    return session
  }
  const session = await (paste ? redeem(await askForCode(signIn)) : fromBrowser(signIn, waitSec, redeem))
  console.log(`Signed in to ${address} as ${session.username}, until ${session.expiresAt}.`)
}

interface SignIn {
  readonly address: string
  readonly challenge: string
}

function readWait(text: string): number {
  const seconds = Number(text)
  if (Number.isInteger(seconds) && seconds >= 1 && seconds <= 600) return seconds
  throw new StartRefused('--wait must be a whole number of seconds from 1 to 600.')
}

function addressOfSignIn({ address, challenge }: SignIn, more: Record<string, string>): string {
  const query = new URLSearchParams({ ...more, code_challenge: challenge, code_challenge_method: 'S256' })
  return `${address}${login.adminLogin.path}?${query}`
}

function fromBrowser<T>(signIn: SignIn, waitSec: number, redeem: (code: string) => Promise<T>): Promise<T> {
  const state = randomBytes(32).toString('base64url')
  const listening = (redirectUri: string) => {
    const start = addressOfSignIn(signIn, { redirect_uri: redirectUri, state })
    console.log(
      `Sign in with your browser. If none opens, open this address on this computer:\n\n  ${start}\n`,
    )
    openBrowser(start)
  }
  return receiveCode({ state, issuer: signIn.address, waitSec }, { listening, redeem })
}

/** Reads the code that a person pastes, after they have signed in with any browser, also on another machine. */
async function askForCode(signIn: SignIn): Promise<string> {
  const start = addressOfSignIn(signIn, { response_mode: 'page' })
  console.log(`Open this address in any browser and sign in:\n\n  ${start}\n`)
  process.stdout.write('Paste the code that the page shows, with its address: ')
  for await (const line of createInterface({ input: process.stdin })) {
    if (line.trim()) return codeOf(line.trim(), signIn.address)
  }
  throw new StartRefused('No code was pasted. Run `rolecall login --paste` again.')
}

/**
 * Returns the code from a pasted text of the form `<code>@<issuer>`.
 *
 * @throws StartRefused if the code comes from another service
 */
function codeOf(pasted: string, address: string): string {
  const [, code, issuer] = /^([^@]+)@(.+)$/.exec(pasted) ?? []
  if (code === undefined || issuer === undefined) {
    throw new StartRefused(
      `The pasted text has no address after its code. Run \`rolecall login --paste\` again, and copy the whole text from the page: rcc_…@${address}`,
    )
  }
  checkIssuer(issuer, address)
  return code
}

async function redeemCode(address: string, code: string, codeVerifier: string): Promise<KeptSession> {
  const response = await requestService(address, 'POST', login.adminToken.path, {
    body: { code, codeVerifier },
  })
  if (response.status !== 200) throw refusedBy(address, response)
  const member: unknown = Reflect.get(Object(response.body), 'member')
  const session = {
    token: textOf(response.body, 'token'),
    expiresAt: textOf(response.body, 'expiresAt'),
    username: textOf(member, 'username'),
  }
  if (session.token === '') throw new StartRefused(`${address} is not a Rolecall service. Check the address.`)
  return session
}
