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

/** Returns a page for a person, or problem JSON for a program. `href` is the link on the page. */
export function refuse(
  request: Incoming,
  status: number,
  code: ProblemCode,
  { href = '/', headers = {} }: { readonly href?: string; readonly headers?: Record<string, string> } = {},
): Response {
  if (!isNavigation(request)) {
    const type = { 'content-type': 'application/problem+json' }
    return new Response(problemBody(status, code), { status, headers: { ...personal, ...type, ...headers } })
  }
  const link = href === '/' ? 'To the start page' : 'Try again'
  const html = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${titleOf(code)}</title><h1>${titleOf(code)}</h1><p><a href="${escapeHtml(href)}">${link}</a></p></html>`
  const type = {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'; base-uri 'none'",
  }
  return new Response(html, { status, headers: { ...personal, ...type, ...headers } })
}

const escapeHtml = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
