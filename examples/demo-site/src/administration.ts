import { type ChatSim, demo } from '@rolecall/chat-sim'
import { walk } from './walk.ts'

interface Terms {
  readonly serviceUrl: string
  readonly sim: Pick<ChatSim, 'login'>
}

/** The service's administration, with the session of a System Admin. */
export interface Administration {
  readonly token: string
  /** Calls an endpoint of the administration as a System Admin, e.g. `ask('GET', 'projects')`. */
  ask<Answer = unknown>(method: string, path: string, body?: unknown): Promise<Answer>
}

/**
 * Opens the administration as Mara Lind, who has the admin role. Uses the session of the last start if it is still
 * live, or else signs in.
 */
export async function openAdministration(terms: Terms, known: string | undefined): Promise<Administration> {
  const { serviceUrl, sim } = terms
  const isGood = known !== undefined && (await send('GET', `${serviceUrl}/api/admin/profile`, known)).ok
  const token = isGood ? known : await logIn(serviceUrl, sim)
  return {
    token,
    ask: async <Answer>(method: string, path: string, body?: unknown) =>
      (await read(await send(method, `${serviceUrl}/api/admin/${path}`, token, body))) as Answer,
  }
}

async function logIn(serviceUrl: string, sim: Terms['sim']): Promise<string> {
  const end = await walk(`${serviceUrl}/api/auth/admin/login?return_to=/console/`, sim, demo.users.mara)
  const code = new URLSearchParams(end.hash.slice(1)).get('code')
  const answer = await read(await send('POST', `${serviceUrl}/api/auth/admin/token`, undefined, { code }))
  return (answer as { token: string }).token
}

const send = (method: string, url: string, token?: string, body?: unknown) =>
  fetch(url, {
    method,
    headers: {
      ...(token && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })

async function read(answer: Response): Promise<unknown> {
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${answer.url} answered ${answer.status}: ${text}`)
  return text === '' ? undefined : JSON.parse(text)
}
