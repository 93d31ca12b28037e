import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Html } from './html.ts'

/** The response of a handler: a page, JSON for the page's script, or a redirect. */
export type Reply = { readonly cookies?: readonly string[] } & (
  | { readonly status?: number; readonly page: Html }
  | { readonly json: unknown }
  | { readonly redirect: string }
)

/** Returns a cookie of a request. */
export const readCookie = (request: IncomingMessage, name: string): string | undefined =>
  request.headers.cookie
    ?.split(/; ?/)
    .find((pair) => pair.startsWith(`${name}=`))
    ?.slice(name.length + 1)

/**
 * Creates a cookie. `HttpOnly` hides it from scripts. With `SameSite=Lax`, the browser sends it when the sign-in
 * redirects back to this site.
 */
export const makeCookie = (name: string, value: string, path: string, maxAgeSec: number) =>
  `${name}=${value}; Path=${path}; Max-Age=${maxAgeSec}; HttpOnly; SameSite=Lax`

/** Reads the fields of a small form. */
export async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  let text = ''
  for await (const chunk of request) {
    text += chunk
    if (text.length > 4_096) break
  }
  return new URLSearchParams(text)
}

/** Returns true if a form of this site sent the request. Cookies alone do not prove that (CSRF). */
export const isOwnForm = ({ headers }: IncomingMessage, siteUrl: string) => headers.origin === siteUrl

/** Sends a reply, with the security headers of every page. `pictures` is the origin of pictures. */
export function send(response: ServerResponse, reply: Reply, pictures: string): void {
  if (reply.cookies?.length) response.setHeader('set-cookie', [...reply.cookies])
  response.setHeader('cache-control', 'no-store')
  response.setHeader('x-content-type-options', 'nosniff')
  // With `no-referrer`, forms of this site would have the origin `null`.
  response.setHeader('referrer-policy', 'same-origin')
  if ('redirect' in reply) return void response.writeHead(303, { location: reply.redirect }).end()
  if ('json' in reply) {
    response.setHeader('content-type', 'application/json; charset=utf-8')
    return void response.end(JSON.stringify(reply.json))
  }
  response.setHeader('content-type', 'text/html; charset=utf-8')
  response.setHeader(
    'content-security-policy',
    `default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self' ${pictures}; ` +
      "form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  )
  response.writeHead(reply.status ?? 200).end(reply.page.markup)
}
