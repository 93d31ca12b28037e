import { parse, serialize } from 'cookie'

interface CookieOptions {
  readonly path: string
  readonly maxAgeSec: number
  readonly sameSite: 'lax' | 'strict'
  readonly secure: boolean
}

/**
 * Builds a `Set-Cookie` value for a cookie that scripts cannot read (`HttpOnly`). A `maxAgeSec` of 0 deletes the
 * cookie.
 */
export const cookie = (name: string, value: string, { path, maxAgeSec, sameSite, secure }: CookieOptions) =>
  serialize(name, value, { httpOnly: true, path, maxAge: maxAgeSec, sameSite, secure })

/** Matches a value that is used as it was sent, such as each of this service's own. */
const isPlainValue = /^[\w.-]+$/

/**
 * Returns the value of a cookie. Returns undefined if it is missing or was sent twice: a sibling subdomain can add a
 * second cookie with the same name, and the service cannot tell which one is its own (RFC 9700 §4.7).
 *
 * Ignores only spaces and tabs before a name, and no other white space. A sibling subdomain can set a cookie with
 * another white space in front of `__Host-…`, which would count as a second one.
 */
export function readCookie(header: string | undefined, name: string): string | undefined {
  if (!header) return undefined
  const start = `${name}=`
  let found: string | undefined
  for (const pair of header.split(';')) {
    let at = 0
    while (pair[at] === ' ' || pair[at] === '\t') at += 1
    if (!pair.startsWith(start, at)) continue
    if (found !== undefined) return undefined
    found = pair
  }
  if (found === undefined) return undefined
  const value = found.slice(found.indexOf('=') + 1)
  return isPlainValue.test(value) ? value : parse(found)[name]
}
