import type { Session } from './contract-types.ts'
import type { MemberRules } from './guard.ts'
import type { Rolecall } from './rolecall.ts'
import { lazily } from './site/lazily.ts'
import { finishNode, incomingOfNode, type NodeRequest, type NodeResponse, sendToNode } from './site/node.ts'
import type { SiteOptions } from './site/settings.ts'
import { createSite } from './site/site.ts'
import { createVisitBook } from './site/visit-book.ts'

export type { SessionStore, SiteOptions } from './site/settings.ts'

/** An event of h3, version 1, on Node.js. */
interface Event {
  readonly node: { readonly req: NodeRequest; readonly res: NodeResponse }
}

const visits = createVisitBook<NodeRequest>('rolecall.middleware, in server/middleware,')

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
      const { visit, answer } = await site().open(incomingOfNode(req, res))
      if (answer) return sendToNode(answer, res)
      visits.note(req, visit)
      finishNode(site(), visit, res)
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
        const decision = await visits.of(req).decide(rules)
        if ('session' in decision) return handler && (await handler(event, decision.session))
        await sendToNode(decision.refusal, res)
        return undefined
      },

    /** Who is logged in; undefined when nobody is. Rejects when nobody can tell. */
    currentSession: ({ node }: Event): Promise<Session | undefined> => visits.of(node.req).currentSession(),

    /** Ends the session, before the answer is sent. */
    signOut: ({ node }: Event): Promise<void> => visits.of(node.req).signOut(),
  }
}
