import type { Session } from './contract-types.ts'
import { createDecide, createSessionBook, type GuardOptions, isRefusal, type MemberRules } from './guard.ts'
import type { Rolecall } from './rolecall.ts'

interface Request {
  readonly headers: { readonly authorization?: string | undefined; readonly cookie?: string | undefined }
}

interface Reply {
  code(status: number): { headers(values: Record<string, string>): { send(body: string): unknown } }
}

const book = createSessionBook<Request>()

/** The session of a request that `requireMember()` let in. */
export const sessionOf: (request: Request) => Session = book.sessionOf

/**
 * Guards for Fastify: hooks for `onRequest` or `preHandler`.
 *
 * @example
 * const { requireMember } = createGuard(rolecall, { cookie: 'session' })
 * const onRequest = requireMember({ anyOf: [crewRoleId] })
 * app.get('/crew', { onRequest }, async (request) => sessionOf(request).member)
 */
export function createGuard(rolecall: Rolecall, options: GuardOptions = {}) {
  const decide = createDecide(rolecall, options)
  return {
    requireMember:
      (rules: MemberRules = {}) =>
      async (request: Request, reply: Reply): Promise<unknown> => {
        const outcome = await decide((name) => request.headers[name], rules)
        if (isRefusal(outcome)) return reply.code(outcome.status).headers(outcome.headers).send(outcome.body)
        return book.note(request, outcome)
      },
  }
}
