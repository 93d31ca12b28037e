import type { IncomingMessage } from 'node:http'
import type { Rolecall, Session } from '@rolecall/sdk'
import { makeCookie, type Reply, readCookie } from './http.ts'
import { liveRoles, type MemberPage, memberPage, welcomePage } from './pages.ts'
import type { createVisitors, Visitor } from './visitors.ts'

export const visitorCookie = 'demo_visitor'

interface PageOptions {
  readonly rolecall: Rolecall
  readonly visitors: ReturnType<typeof createVisitors>
  readonly controlUrl: string
  readonly rolecallUrl: string
  readonly login: { readonly serverId: string }
  readonly pictures: { readonly from: string; readonly to: string }
}

/** Creates the page of a member, and the response to the page's script, which requests the roles twice a second. */
export function createMemberPages(options: PageOptions) {
  const { rolecall, visitors } = options

  async function home(request: IncomingMessage): Promise<Reply> {
    const id = readCookie(request, visitorCookie)
    const visitor = visitors.find(id)
    const session = visitor && (await validateNow(rolecall, visitor))
    if (!visitor || !session) {
      const wasLoggedIn = visitors.remove(id)
      return {
        page: welcomePage({
          controlUrl: options.controlUrl,
          consoleUrl: `${options.rolecallUrl}/console/`,
          wasLoggedIn,
        }),
        ...(id !== undefined && { cookies: [makeCookie(visitorCookie, '', '/', 0)] }),
      }
    }
    const shown: MemberPage = {
      session,
      sessions: await rolecall.sessions(visitor.pair.token),
      answer: visitor.answer,
      picture: session.member.avatar?.replace(options.pictures.from, options.pictures.to),
      controlUrl: `${options.controlUrl}?${new URLSearchParams({ guild: options.login.serverId, member: session.member.id })}`,
    }
    return { page: memberPage(shown) }
  }

  async function live(request: IncomingMessage): Promise<Reply> {
    const visitor = visitors.find(readCookie(request, visitorCookie))
    const session = visitor && (await validateNow(rolecall, visitor))
    if (!session) return { json: { isLive: false } }
    const { rolesAsOf, rolesSource } = session
    return { json: { isLive: true, roles: liveRoles(session).markup, rolesAsOf, rolesSource } }
  }

  return { home, live }
}

/** Validates the session. Tries again if a refresh has replaced the token while the request was under way. */
async function validateNow(rolecall: Rolecall, visitor: Visitor): Promise<Session | undefined> {
  const { token } = visitor.pair
  const session = await rolecall.validate(token)
  if (session || visitor.pair.token === token) return session
  return validateNow(rolecall, visitor)
}
