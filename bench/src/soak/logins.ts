import type { ChatSim } from '@rolecall/chat-sim'
import type { Answer } from './answer.ts'
import type { Member, Project } from './ledger.ts'
import { club } from './place.ts'
import type { Ask } from './requests.ts'
import type { Verdicts } from './verdicts.ts'

export const redirectUri = 'https://site.example/callback'

/** The end of a chain of redirects: at an address outside of the service, or with a response that does not redirect. */
type End = { readonly address: URL } | { readonly answer: Answer }

/** Simulates browsers that sign in. Each request of a sign-in may reach a different instance. */
export function createLogins(ask: Ask, sim: ChatSim, publicUrl: string, verdicts: Verdicts) {
  async function walk(first: string, as: string): Promise<End> {
    const jar = new Map<string, string>()
    let path = first
    for (let step = 0; step < 12; step++) {
      const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
      const answer = await ask('GET', path, { headers: cookie === '' ? {} : { cookie } })
      for (const line of answer.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
        jar.set(name, value)
      }
      const location = answer.headers.get('location')
      if (location === null) return { answer }
      const next = location.startsWith(sim.url)
        ? await atPlatform(location, as)
        : new URL(location, publicUrl)
      if (next === undefined) return { answer }
      if (next.origin !== publicUrl) return { address: next }
      if (next.hash !== '') return { address: next }
      path = next.pathname + next.search
    }
    throw new Error('A sign-in redirects in a loop.')
  }

  /** Signs in and returns the code. Undefined if the platform or an outage prevented the sign-in. */
  async function codeOf(
    path: string,
    member: Pick<Member, 'id'>,
    isExpected = true,
  ): Promise<string | undefined> {
    const end = await walk(path, member.id)
    if ('answer' in end) {
      // The sign-in ended on an error page of the platform, or with a response that was already judged.
      if (end.answer.status === 302) verdicts.loginRefused('Discord did not redirect the browser back')
      return undefined
    }
    const { address } = end
    const code = address.searchParams.get('code') ?? new URLSearchParams(address.hash.slice(1)).get('code')
    const error = address.searchParams.get('error')
    if (error === 'temporarily_unavailable' || error === 'server_error') verdicts.loginRefused(error)
    else if (!code && isExpected) verdicts.broken(`a member's sign-in ended with ${error}`)
    return code ?? undefined
  }

  return {
    codeOf,
    /** Returns the address outside of the service at which a sign-in ends. Undefined if it ends with a page. */
    async addressAfter(path: string, { id }: Pick<Member, 'id'>): Promise<URL | undefined> {
      const end = await walk(path, id)
      return 'address' in end ? end.address : undefined
    },
    ofProject: ({ id }: Project, member: Pick<Member, 'id'>, isExpected?: boolean) =>
      codeOf(
        `/api/auth/authorize?${new URLSearchParams({ client_id: id, redirect_uri: redirectUri, server_id: club, state: 's' })}`,
        member,
        isExpected,
      ),
  }
}

export type Logins = ReturnType<typeof createLogins>

/** Agrees on the platform's screen. Returns the address to which the platform redirects the browser, if it does. */
async function atPlatform(screen: string, as: string): Promise<URL | undefined> {
  try {
    const answer = await fetch(`${screen}&login_as=${as}&auto=1`, { redirect: 'manual' })
    await answer.body?.cancel()
    const location = answer.headers.get('location')
    return location === null ? undefined : new URL(location)
  } catch {
    return undefined
  }
}
