import { type ProblemCode, problemBody, titleOf } from '../problem.ts'
import type { Incoming } from './incoming.ts'
import { isNavigation } from './incoming.ts'

/** Prevents caches from storing a personal response. */
const personal = { 'cache-control': 'private, no-store' }

export const redirectTo = (url: string, status: 302 | 303 = 302): Response =>
  new Response(null, { status, headers: { ...personal, location: url } })

export const noContent = (): Response => new Response(null, { status: 204, headers: personal })

export const json = (value: unknown): Response =>
  new Response(JSON.stringify(value), { headers: { ...personal, 'content-type': 'application/json' } })

/** The style of the page, in both color schemes. */
const style =
  ':root{color-scheme:light dark}body{max-width:34rem;margin:15vh auto;padding:0 1.5rem;font:1rem/1.5 system-ui,sans-serif}' +
  'h1{font-size:1.25rem;overflow-wrap:anywhere}a{display:inline-block;padding:.5rem 1rem;border:1px solid;border-radius:.5rem;color:inherit;text-decoration:none}'
/** Allows this style alone. */
const styleHash = 'sha256-JWkNNfRnFOLKfOvk7tN0xgoxkGTYLZsBJBUPSPCR/Ng='

interface Refusal {
  /** The link on the page. */
  readonly href?: string
  readonly headers?: Record<string, string>
  /** The reason that the service gave, which is more precise than the title of the code. */
  readonly reason?: string | undefined
}

/** Returns a page for a person, or problem JSON for a program. */
export function refuse(
  request: Incoming,
  status: number,
  code: ProblemCode,
  { href = '/', headers = {}, reason }: Refusal = {},
): Response {
  if (!isNavigation(request)) {
    const type = { 'content-type': 'application/problem+json' }
    return new Response(problemBody(status, code, reason), {
      status,
      headers: { ...personal, ...type, ...headers },
    })
  }
  const link = href === '/' ? 'To the start page' : 'Try again'
  const text = escapeHtml(reason || titleOf(code))
  const html = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${text}</title><style>${style}</style><h1>${text}</h1><p><a href="${escapeHtml(href)}">${link}</a></p></html>`
  const type = {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': `default-src 'none'; style-src '${styleHash}'; frame-ancestors 'none'; base-uri 'none'`,
  }
  return new Response(html, { status, headers: { ...personal, ...type, ...headers } })
}

const escapeHtml = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
