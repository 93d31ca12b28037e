import { setTimeout as sleep } from 'node:timers/promises'
import { type ChatSim, demo } from '@rolecall/chat-sim'
import { mintLogin, type Rolecall, RolecallError } from '@rolecall/sdk'
import type { LoginTerms } from './site/login.ts'
import { walk } from './walk.ts'

/**
 * The token of a session of Ada Osei, for the request that the demo prints. If there is none, the reason as a sentence.
 */
export type Sample = { readonly token: string } | { readonly missing: string }

/**
 * Returns the session of the last start if it is still live, or else signs in. After experiments, Ada may be blocked,
 * or the key of the project may be replaced. The demo then starts without a session.
 */
export async function sampleSession(
  rolecall: Rolecall,
  sim: Pick<ChatSim, 'login'>,
  terms: LoginTerms,
  known: string | undefined,
): Promise<Sample> {
  try {
    if (known && (await rolecall.validate(known))) return { token: known }
    return await newSession(rolecall, sim, terms)
  } catch (error) {
    if (!(error instanceof RolecallError)) throw error
    const isKey = error.code === 'INVALID_API_KEY' || error.code === 'PROJECT_INACTIVE'
    return { missing: isKey ? keyGone : `There is no sample session: ${error.detail}` }
  }
}

const keyGone =
  'The API key of the demo project no longer works: it was replaced or revoked, or the project was deactivated. ' +
  'Put a valid key into demo.json, or delete the data folder to start again.'

async function newSession(
  rolecall: Rolecall,
  sim: Pick<ChatSim, 'login'>,
  terms: LoginTerms,
): Promise<Sample> {
  const login = mintLogin()
  const { searchParams } = await walk(
    await rolecall.authorizeUrl({ ...terms, ...login }),
    sim,
    demo.users.ada,
  )
  const code = searchParams.get('code')
  if (code === null) {
    return {
      missing: `Ada Osei cannot sign in: ${searchParams.get('error_description') ?? 'no reason given'}`,
    }
  }
  const { token } = await rolecall.exchange({
    ...{ ...terms, code, codeVerifier: login.codeVerifier },
    client: { userAgent: 'npm start' },
  })
  // A new service does not know the names of the roles at once. It reads them together with the first members.
  for (let tries = 0; tries < 30; tries++) {
    if ((await rolecall.validate(token))?.roles.length) break
    await sleep(100)
  }
  return { token }
}
