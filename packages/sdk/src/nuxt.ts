import type { Session } from './contract-types.ts'
import type { MemberRules } from './guard.ts'
import type { Rolecall } from './rolecall.ts'
import { createAdapter } from './site/adapter.ts'
import { lazily } from './site/lazily.ts'
import { type NodeRequest, type NodeResponse, openNode, sendToNode } from './site/node.ts'
import type { SiteOptions } from './site/settings.ts'
import { createSite } from './site/site.ts'

export type { SessionStore, SiteOptions } from './site/settings.ts'

/** An event of h3, version 1, on Node.js. */
interface Event {
  readonly node: { readonly req: NodeRequest; readonly res: NodeResponse }
}

const adapter = createAdapter<NodeRequest>('rolecall.middleware, in server/middleware,')

/**
 * The whole login for Nuxt 4, and for h3 1 on Node.js.
 *
 * @example
 * // server/utils/rolecall.ts
 * export const rolecall = createRolecall()
 * // server/middleware/1.rolecall.ts
 * export default defineEventHandler(rolecall.middleware)
 * // server/api/crew.get.ts
 * export default defineEventHandler(rolecall.requireMember({ anyOf: [crewRoleId] }, (event, { member }) => member))
 */
export function createRolecall(options: SiteOptions = {}) {
  const site = lazily(() => createSite(options))
  return {
    get client(): Rolecall {
      return site().client
    },

    /** Answers the routes of the login, and keeps sessions going. */
    async middleware({ node: { req, res } }: Event): Promise<void> {
      await sendToNode(adapter.enter(req, await openNode(site(), req, res)), res)
    },

    /**
     * A handler for whoever has the roles, and a live session; without one of its own it lets them pass, as middleware
     * before pages. Others see the login, or a page that says why not; programs get 401, 403 or 503 as problem JSON.
     */
    requireMember:
      <Given extends Event, Answer>(
        rules: MemberRules,
        handler?: (event: Given, session: Session) => Answer,
      ) =>
      async (event: Given): Promise<Awaited<Answer> | undefined> => {
        const { req, res } = event.node
        const refusal = adapter.admit(req, await adapter.visitOf(req).decide(rules))
        if (await sendToNode(refusal, res)) return undefined
        return handler && (await handler(event, adapter.sessionOf(req)))
      },

    /** Who is logged in; undefined when nobody is. Rejects when nobody can tell. */
    currentSession: ({ node }: Event): Promise<Session | undefined> => adapter.currentSession(node.req),

    /** Ends the session, before the answer is sent. */
    signOut: ({ node }: Event): Promise<void> => adapter.signOut(node.req),
  }
}
