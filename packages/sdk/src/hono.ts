import type { Session } from './contract-types.ts'
import { createDecide, createSessionBook, type GuardOptions, isRefusal, type MemberRules } from './guard.ts'
import type { Rolecall } from './rolecall.ts'

interface Context {
  readonly req: { header(name: string): string | undefined }
}

const book = createSessionBook<Context>()

/** The session of a request that `requireMember()` let in. */
export const sessionOf: (context: Context) => Session = book.sessionOf

/**
 * Guards for Hono: middleware.
 *
 * @example
 * const { requireMember } = createGuard(rolecall, { cookie: 'session' })
 * app.get('/crew', requireMember({ anyOf: [crewRoleId] }), (c) => c.json(sessionOf(c).member))
 */
export function createGuard(rolecall: Rolecall, options: GuardOptions = {}) {
  const decide = createDecide(rolecall, options)
  return {
    requireMember:
      (rules: MemberRules = {}) =>
      async (context: Context, next: () => Promise<void>): Promise<Response | undefined> => {
        const outcome = await decide((name) => context.req.header(name), rules)
        if (isRefusal(outcome)) {
          return new Response(outcome.body, { status: outcome.status, headers: outcome.headers })
        }
        book.note(context, outcome)
        await next()
        return undefined
      },
  }
}
