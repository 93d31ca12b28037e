import { type ProblemCode, problemBody } from '../problem.ts'

/** The headers of a personal response, which prevent caches from storing it. */
export const personal = { 'cache-control': 'private, no-store' }

/** Returns a redirect that caches do not store. Use 303 after a form, so that the browser continues with GET. */
export const redirectTo = (url: string, status: 302 | 303 = 302): Response =>
  new Response(null, { status, headers: { ...personal, location: url } })

/** Returns an empty success. */
export const noContent = (): Response => new Response(null, { status: 204, headers: personal })

/** Returns a value as JSON. */
export const json = (value: unknown): Response =>
  new Response(JSON.stringify(value), { headers: { ...personal, 'content-type': 'application/json' } })

/** Returns a response with problem JSON (RFC 9457), for a program. */
export const problem = (status: number, code: ProblemCode, detail?: string): Response =>
  new Response(problemBody(status, code, detail), {
    status,
    headers: { ...personal, 'content-type': 'application/problem+json' },
  })
