import type { ChatSim } from '@rolecall/chat-sim'

/** Completes a sign-in as a browser would, with its one cookie. Returns the address at which the sign-in ends. */
export async function walk(start: string, sim: Pick<ChatSim, 'login'>, as: string): Promise<URL> {
  const first = await fetch(start, { redirect: 'manual' })
  const cookie = first.headers.get('set-cookie')?.split(';')[0] ?? ''
  const callback = await sim.login(locationOf(first), { as })
  const last = await fetch(callback, { redirect: 'manual', headers: { cookie } })
  return new URL(locationOf(last), start)
}

function locationOf(answer: Response): string {
  const location = answer.headers.get('location')
  if (!location) throw new Error(`${answer.url} answered ${answer.status} instead of a redirect`)
  return location
}
