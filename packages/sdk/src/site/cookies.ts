/** A cookie to set. The browser deletes it if `maxAgeSec` is 0. */
export interface Cookie {
  readonly name: string
  readonly value: string
  readonly maxAgeSec: number
}

/** The maximum size of a cookie in bytes. Chromium silently drops a longer cookie. */
const maxBytes = 4_096

/**
 * Serializes a cookie with `HttpOnly` and `SameSite=Lax`. Scripts cannot read it. The browser does not send it with
 * forms and frames of other sites, but sends it when the member follows a link from another site, so they stay signed
 * in.
 *
 * @throws Error if the cookie is so long that browsers would drop it. The sign-in would otherwise fail silently.
 */
export function serializeCookie({ name, value, maxAgeSec }: Cookie, isSecure: boolean): string {
  const length = name.length + value.length
  if (length > maxBytes)
    throw new Error(`The cookie ${name} has ${length} characters; browsers keep ${maxBytes}.`)
  const secure = isSecure ? '; Secure' : ''
  return `${name}=${value}; Path=/; Max-Age=${maxAgeSec}; HttpOnly; SameSite=Lax${secure}`
}

/** Returns a cookie that deletes the one with this name. */
export const dropped = (name: string): Cookie => ({ name, value: '', maxAgeSec: 0 })

/**
 * Parses the cookies of a request. If two have the same name, the first one wins, because it has the more specific
 * path.
 *
 * Removes only spaces and tabs around a name, and no other white space. A sibling host can set a cookie with another
 * white space in front of `__Host-…`. With `trim()`, it would be ours.
 */
export function readCookies(header: string | null | undefined): Map<string, string> {
  const cookies = new Map<string, string>()
  for (const pair of (header ?? '').split(';')) {
    const cut = pair.indexOf('=')
    const name = pair.slice(0, Math.max(cut, 0)).replace(/^[ \t]+|[ \t]+$/g, '')
    if (name !== '' && !cookies.has(name)) cookies.set(name, pair.slice(cut + 1).trim())
  }
  return cookies
}
