import type { Session } from './contract-types.ts'
import { createDecide, type GuardOptions, type MemberRules } from './guard.ts'
import type { Rolecall } from './rolecall.ts'
import { createAdapter } from './site/adapter.ts'
import { type NodeRequest, type NodeResponse, openNode } from './site/node.ts'
import type { SiteOptions } from './site/settings.ts'
import { createSite } from './site/site.ts'

export type { PageDetails } from './site/page-details.ts'
export type { SessionStore, SiteOptions } from './site/settings.ts'

interface Request {
  readonly headers: { readonly authorization?: string | undefined; readonly cookie?: string | undefined }
}

interface Reply {
  code(status: number): { headers(values: Record<string, string>): { send(body: string): unknown } }
}

/** The parts of Fastify's own request and reply that are used here. */
interface SiteRequest {
  readonly raw: NodeRequest
}
interface SiteReply {
  readonly raw: NodeResponse
  send(response: globalThis.Response): unknown
}
interface App {
  addHook(name: 'onRequest', hook: (request: SiteRequest, reply: SiteReply) => Promise<unknown>): unknown
  all(path: string, handler: () => Promise<never>): unknown
}

const adapter = createAdapter<object>('app.register(rolecall.plugin)')

/** Returns the session of a request that `requireMember()` admitted. */
export const sessionOf: (request: object) => Session = adapter.sessionOf

/**
 * Adds the complete sign-in to Fastify.
 *
 * @example
 * const rolecall = createRolecall()
 * await app.register(rolecall.plugin)
 * app.get('/crew', { onRequest: rolecall.requireMember({ anyOf: [crewRoleId] }) }, async (request) => sessionOf(request).member)
 */
export function createRolecall(options: SiteOptions = {}) {
  const site = createSite(options)
  const register = async (app: App): Promise<void> => {
    // `onRequest` runs before Fastify reads a body. None of the sign-in routes needs a body, and so Fastify rejects no
    // content type on them.
    app.addHook('onRequest', async (request, reply) => {
      const response = adapter.storeVisit(request, await openNode(site, request.raw, reply.raw))
      return response && reply.send(response)
    })
    // Fastify runs hooks only for registered routes, so the sign-in routes are registered. Their handler never runs,
    // because the hook responds first.
    const never = () => Promise.reject(new Error('The sign-in responds before this handler.'))
    app.all(`${site.settings.authPath}/*`, never)
    app.all(site.settings.authPath, never)
  }
  return {
    client: site.client,

    /**
     * The plugin to register. Handles the sign-in routes and refreshes sessions. `skip-override` makes it apply to the
     * whole app, not only to the scope in which it is registered.
     */
    plugin: Object.assign(register, { [Symbol.for('skip-override')]: true }),

    /**
     * A hook that admits members with a live session and the required roles. Other visitors are sent to sign in, or see
     * a page that says why they have no access. Programs receive 401, 403 or 503 as problem JSON.
     */
    requireMember:
      (rules: MemberRules = {}) =>
      async (request: SiteRequest, reply: SiteReply): Promise<unknown> => {
        const refusal = adapter.storeSession(request, await adapter.visitOf(request).decide(rules))
        return refusal && reply.send(refusal)
      },

    /**
     * Returns the session of the signed-in member, or undefined if no member is signed in. Rejects during an outage,
     * when that cannot be determined.
     */
    currentSession: adapter.currentSession,

    /** Ends the session. Call it before the reply is sent. */
    signOut: adapter.signOut,
  }
}

/**
 * Creates guards for APIs that receive a session token from the caller: hooks for `onRequest` or `preHandler`.
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
        const refusal = adapter.storeSession(request, await decide((name) => request.headers[name], rules))
        if (!refusal) return undefined
        const headers = Object.fromEntries(refusal.headers)
        return reply
          .code(refusal.status)
          .headers(headers)
          .send(await refusal.text())
      },
  }
}
