import type { Session } from './contract-types.ts'
import { createDecide, type GuardOptions, isRefusal, type MemberRules } from './guard.ts'
import type { Rolecall } from './rolecall.ts'

/**
 * Guards for route handlers of Next.js, and for anything else that answers a `Request` with a `Response`.
 *
 * @example
 * const { requireMember } = createGuard(rolecall, { cookie: 'session' })
 * export const GET = requireMember({ anyOf: [crewRoleId] }, (request, context, { member }) => Response.json(member))
 */
export function createGuard(rolecall: Rolecall, options: GuardOptions = {}) {
  const decide = createDecide(rolecall, options)
  return {
    requireMember:
      <Incoming extends Request, Context>(
        rules: MemberRules,
        handler: (request: Incoming, context: Context, session: Session) => Response | Promise<Response>,
      ) =>
      async (request: Incoming, context: Context): Promise<Response> => {
        const outcome = await decide((name) => request.headers.get(name), rules)
        if (!isRefusal(outcome)) return handler(request, context, outcome)
        return new Response(outcome.body, { status: outcome.status, headers: outcome.headers })
      },
  }
}
