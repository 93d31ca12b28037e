import type { IncomingMessage } from 'node:http'
import { Rolecall } from '@rolecall/sdk'
import { makeCookie, type Reply, readCookie, readForm } from './http.ts'
import { visitorCookie } from './member-pages.ts'
import { recordingFetch } from './recorder.ts'
import type { createVisitors, Visitor } from './visitors.ts'

interface ActionOptions {
  readonly rolecallUrl: string
  readonly apiKey: string
  readonly visitors: ReturnType<typeof createVisitors>
}

type Press = (rolecall: Rolecall, visitor: Visitor, request: IncomingMessage) => Promise<unknown>

/** Creates the handlers of the buttons. Each calls the service, and returns to the page, which shows the response. */
export function createActions({ rolecallUrl, apiKey, visitors }: ActionOptions) {
  const button =
    (call: string, press: Press) =>
    async (request: IncomingMessage): Promise<Reply> => {
      const visitor = visitors.find(readCookie(request, visitorCookie))
      if (!visitor) return { redirect: '/' }
      const fetch = recordingFetch(call, (answer) => {
        visitor.answer = answer
      })
      await press(new Rolecall({ baseUrl: rolecallUrl, apiKey, fetch }), visitor, request)
      return { redirect: '/#answer' }
    }
  /** Creates the handler of a button that ends the visitor's session on this site. */
  const exit =
    (call: string, press: Press) =>
    async (request: IncomingMessage): Promise<Reply> => {
      await button(call, press)(request)
      visitors.remove(readCookie(request, visitorCookie))
      return { redirect: '/', cookies: [makeCookie(visitorCookie, '', '/', 0)] }
    }

  return {
    validate: button('rolecall.validate(token)', (rolecall, { pair }) => rolecall.validate(pair.token)),
    refresh: button('rolecall.refresh({ token, refreshToken })', async (rolecall, visitor) => {
      visitor.pair = await rolecall.refresh(visitor.pair)
    }),
    sessions: button('rolecall.sessions(token)', (rolecall, { pair }) => rolecall.sessions(pair.token)),
    revoke: button('rolecall.revokeSession(token, id)', async (rolecall, { pair }, request) =>
      rolecall.revokeSession(pair.token, (await readForm(request)).get('id') ?? ''),
    ),
    logout: exit('rolecall.logout(token)', (rolecall, { pair }) => rolecall.logout(pair.token)),
    logoutAll: exit('rolecall.logoutAll(memberId)', async (rolecall, { pair }) => {
      const session = await rolecall.validate(pair.token)
      if (session) await rolecall.logoutAll(session.member.id)
    }),
  }
}
