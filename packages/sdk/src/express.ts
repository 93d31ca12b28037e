import type { Session } from './contract-types.ts'
import { createDecide, createSessionBook, type GuardOptions, isRefusal, type MemberRules } from './guard.ts'
import type { Rolecall } from './rolecall.ts'

interface Request {
  readonly headers: { readonly authorization?: string | undefined; readonly cookie?: string | undefined }
}

interface Response {
  writeHead(status: number, headers: Record<string, string>): { end(body: string): unknown }
}

const book = createSessionBook<Request>()

/** The session of a request that `requireMember()` let in. */
export const sessionOf: (request: Request) => Session = book.sessionOf

/**
 * Guards for Express, and for anything else that takes `(request, response, next)`.
 *
 * @example
 * const { requireMember } = createGuard(rolecall, { cookie: 'session' })
 * app.get('/crew', requireMember({ anyOf: [crewRoleId] }), (req, res) => res.json(sessionOf(req).member))
 */
export function createGuard(rolecall: Rolecall, options: GuardOptions = {}) {
  const decide = createDecide(rolecall, options)
  return {
    requireMember:
      (rules: MemberRules = {}) =>
      async (request: Request, response: Response, next: (error?: unknown) => void): Promise<void> => {
        try {
          const outcome = await decide((name) => request.headers[name], rules)
          if (isRefusal(outcome)) {
            response.writeHead(outcome.status, { ...outcome.headers }).end(outcome.body)
            return
          }
          book.note(request, outcome)
        } catch (error) {
          next(error)
          return
        }
        next()
      },
  }
}
