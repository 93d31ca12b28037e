import type { Session } from './contract-types.ts'
import type { MemberRules } from './guard.ts'
import type { Rolecall } from './rolecall.ts'
import { createAdapter } from './site/adapter.ts'
import { lazily } from './site/lazily.ts'
import { type NodeRequest, type NodeResponse, openNode, sendToNode } from './site/node.ts'
import type { SiteOptions } from './site/settings.ts'
import { createSite } from './site/site.ts'

export type { PageDetails } from './site/page-details.ts'
export type { SessionStore, SiteOptions } from './site/settings.ts'

/** An event of h3, version 1, on Node.js. */
interface Event {
  readonly node: { readonly req: NodeRequest; readonly res: NodeResponse }
}

const adapter = createAdapter<NodeRequest>('rolecall.middleware, in server/middleware,')

/**
 * Adds the complete sign-in to Nuxt 4, and to h3 1 on Node.js.
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

    /** Handles the sign-in routes and refreshes sessions. */
    async middleware({ node: { req, res } }: Event): Promise<void> {
      await sendToNode(adapter.storeVisit(req, await openNode(site(), req, res)), res)
    },

    /**
     * Returns a handler that admits members with a live session and the required roles, and then calls `handler`.
     * Without `handler` it only checks access, for use as middleware before pages. Other visitors are sent to sign in,
     * or see a page that says why they have no access. Programs receive 401, 403, or 503 as problem JSON.
     */
    requireMember:
      <InputEvent extends Event, Result>(
        rules: MemberRules,
        handler?: (event: InputEvent, session: Session) => Result,
      ) =>
      async (event: InputEvent): Promise<Awaited<Result> | undefined> => {
        const { req, res } = event.node
        const refusal = adapter.storeSession(req, await adapter.visitOf(req).decide(rules))
        if (await sendToNode(refusal, res)) return undefined
        return handler && (await handler(event, adapter.sessionOf(req)))
      },

    /**
     * Returns the session of the signed-in member, or undefined if no member is signed in. Rejects during an outage,
     * when that cannot be determined.
     */
    currentSession: ({ node }: Event): Promise<Session | undefined> => adapter.currentSession(node.req),

    /** Ends the session. Call it before the response is sent. */
    signOut: ({ node }: Event): Promise<void> => adapter.signOut(node.req),
  }
}
