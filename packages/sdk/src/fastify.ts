import type { Session } from './contract-types.ts'
import { createDecide, type GuardOptions, type MemberRules } from './guard.ts'
import type { Rolecall } from './rolecall.ts'
import { createAdapter } from './site/adapter.ts'
import { type NodeRequest, type NodeResponse, openNode } from './site/node.ts'
import type { SiteOptions } from './site/settings.ts'
import { createSite } from './site/site.ts'

export type { SessionStore, SiteOptions } from './site/settings.ts'

interface Request {
  readonly headers: { readonly authorization?: string | undefined; readonly cookie?: string | undefined }
}

interface Reply {
  code(status: number): { headers(values: Record<string, string>): { send(body: string): unknown } }
}

/** What is used of Fastify's own request and reply. */
interface SiteRequest {
  readonly raw: NodeRequest
}
interface SiteReply {
  readonly raw: NodeResponse
  send(answer: globalThis.Response): unknown
}
interface App {
  addHook(name: 'onRequest', hook: (request: SiteRequest, reply: SiteReply) => Promise<unknown>): unknown
  all(path: string, handler: () => Promise<never>): unknown
}

const adapter = createAdapter<object>('app.register(rolecall.plugin)')

/** The session of a request that `requireMember()` let in. */
export const sessionOf: (request: object) => Session = adapter.sessionOf

/**
 * The whole login for Fastify.
 *
 * @example
 * const rolecall = createRolecall()
 * await app.register(rolecall.plugin)
 * app.get('/crew', { onRequest: rolecall.requireMember({ anyOf: [crewRoleId] }) }, async (request) => sessionOf(request).member)
 */
export function createRolecall(options: SiteOptions = {}) {
  const site = createSite(options)
  const register = async (app: App): Promise<void> => {
    // Before a body is read: none of the routes needs one, and whatever content type comes is not refused.
    app.addHook('onRequest', async (request, reply) => {
      const answer = adapter.enter(request, await openNode(site, request.raw, reply.raw))
      return answer && reply.send(answer)
    })
    // Hooks run for routes only. The hook answers, always.
    const never = () => Promise.reject(new Error('The login answers before.'))
    app.all(`${site.settings.authPath}/*`, never)
    app.all(site.settings.authPath, never)
  }
  return {
    client: site.client,

    /** Answers the routes of the login, and keeps sessions going; for the whole app, not for a scope of it. */
    plugin: Object.assign(register, { [Symbol.for('skip-override')]: true }),

    /**
     * A hook that lets in whoever has the roles, and a live session. Others see the login, or a page that says why not;
     * programs get 401, 403 or 503 as problem JSON.
     */
    requireMember:
      (rules: MemberRules = {}) =>
      async (request: SiteRequest, reply: SiteReply): Promise<unknown> => {
        const refusal = adapter.admit(request, await adapter.visitOf(request).decide(rules))
        return refusal && reply.send(refusal)
      },

    /** Who is logged in; undefined when nobody is. Rejects when nobody can tell. */
    currentSession: adapter.currentSession,

    /** Ends the session, before the reply is sent. */
    signOut: adapter.signOut,
  }
}

/**
 * Guards for APIs whose callers bring a session token themselves: hooks for `onRequest` or `preHandler`.
 *
 * @example
 * const { requireMember } = createGuard(client)
 * const onRequest = requireMember({ anyOf: [crewRoleId] })
 * app.get('/crew', { onRequest }, async (request) => sessionOf(request).member)
 */
export function createGuard(rolecall: Rolecall, options: GuardOptions = {}) {
  const decide = createDecide(rolecall, options)
  return {
    requireMember:
      (rules: MemberRules = {}) =>
      async (request: Request, reply: Reply): Promise<unknown> => {
        const refusal = adapter.admit(request, await decide((name) => request.headers[name], rules))
        if (!refusal) return undefined
        const headers = Object.fromEntries(refusal.headers)
        return reply
          .code(refusal.status)
          .headers(headers)
          .send(await refusal.text())
      },
  }
}
