import { setTimeout as sleep } from 'node:timers/promises'
import { type ChatSim, demo } from '@rolecall/chat-sim'
import { mintLogin, type Rolecall } from '@rolecall/sdk'
import type { LoginTerms } from './site/login.ts'
import { walk } from './walk.ts'

/** The token of a session of Ada Osei's: the one of the last start while it lives, else of a new login. */
export async function sampleSession(
  rolecall: Rolecall,
  sim: Pick<ChatSim, 'login'>,
  terms: LoginTerms,
  known: string | undefined,
): Promise<string> {
  if (known && (await rolecall.validate(known))) return known
  const login = mintLogin()
  const end = await walk(await rolecall.authorizeUrl({ ...terms, ...login }), sim, demo.users.ada)
  const { token } = await rolecall.exchange({
    ...terms,
    code: end.searchParams.get('code') ?? '',
    codeVerifier: login.codeVerifier,
    client: { userAgent: 'npm start' },
  })
  // A new service learns the names of a server's roles with the first look at a member that is due.
  for (let tries = 0; tries < 30; tries++) {
    if ((await rolecall.validate(token))?.roles.length) break
    await sleep(100)
  }
  return token
}
