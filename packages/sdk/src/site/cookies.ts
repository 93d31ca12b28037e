/** A cookie to set. The age 0 deletes it. */
export interface Cookie {
  readonly name: string
  readonly value: string
  readonly maxAgeSec: number
}

/** Chromium silently drops longer cookies. */
const maxBytes = 4_096

/**
 * Serializes a cookie that scripts cannot read. Forms and frames of other sites do not send it. A link from another
 * site does, so a member who follows one stays signed in.
 *
 * @throws if browsers would drop it: a sign-in that silently fails is worse.
 */
export function serializeCookie({ name, value, maxAgeSec }: Cookie, isSecure: boolean): string {
  const length = name.length + value.length
  if (length > maxBytes)
    throw new Error(`The cookie ${name} has ${length} characters; browsers keep ${maxBytes}.`)
  const secure = isSecure ? '; Secure' : ''
  return `${name}=${value}; Path=/; Max-Age=${maxAgeSec}; HttpOnly; SameSite=Lax${secure}`
}

export const dropped = (name: string): Cookie => ({ name, value: '', maxAgeSec: 0 })

/** Parses the cookies of a request. Of two with the same name the first one counts, which has the longer path. */
export function readCookies(header: string | null | undefined): Map<string, string> {
  const cookies = new Map<string, string>()
  for (const pair of (header ?? '').split(';')) {
    const cut = pair.indexOf('=')
    const name = pair.slice(0, Math.max(cut, 0)).trim()
    if (name !== '' && !cookies.has(name)) cookies.set(name, pair.slice(cut + 1).trim())
  }
  return cookies
}
