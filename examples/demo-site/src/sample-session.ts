import { type ChatSim, demo } from '@rolecall/chat-sim'
import { mintLogin, type Rolecall } from '@rolecall/sdk'

interface Terms {
  readonly clientId: string
  readonly redirectUri: string
  readonly serverId: string
}

/** The token of a session of Ada Osei's: the one of the last start while it lives, else of a new login. */
export async function sampleSession(
  rolecall: Rolecall,
  sim: Pick<ChatSim, 'login'>,
  terms: Terms,
  known: string | undefined,
): Promise<string> {
  if (known && (await rolecall.validate(known))) return known
  const login = mintLogin()
  // What a browser would do, with its one cookie.
  const start = await fetch(await rolecall.authorizeUrl({ ...terms, ...login }), { redirect: 'manual' })
  const cookie = start.headers.get('set-cookie')?.split(';')[0] ?? ''
  const callback = await sim.login(locationOf(start), { as: demo.users.ada })
  const end = new URL(locationOf(await fetch(callback, { redirect: 'manual', headers: { cookie } })))
  const { token } = await rolecall.exchange({
    ...terms,
    code: end.searchParams.get('code') ?? '',
    codeVerifier: login.codeVerifier,
    client: { userAgent: 'npm start' },
  })
  return token
}

function locationOf(answer: Response): string {
  const location = answer.headers.get('location')
  if (!location) throw new Error(`${answer.url} answered ${answer.status} where a redirect was due`)
  return location
}
