/** A cookie to be set; one with the age 0 is taken away. */
export interface Cookie {
  readonly name: string
  readonly value: string
  readonly maxAgeSec: number
}

/** Chromium drops what is longer without a word. */
const mostBytes = 4_096

/**
 * No script reads it, and no other site's form or frame sends it along; a link from elsewhere does, so that whoever
 * follows one is still logged in.
 *
 * @throws when browsers would drop it: a login that silently does not hold is worse.
 */
export function serializeCookie({ name, value, maxAgeSec }: Cookie, isSecure: boolean): string {
  const length = name.length + value.length
  if (length > mostBytes)
    throw new Error(`The cookie ${name} has ${length} characters; browsers keep ${mostBytes}.`)
  const secure = isSecure ? '; Secure' : ''
  return `${name}=${value}; Path=/; Max-Age=${maxAgeSec}; HttpOnly; SameSite=Lax${secure}`
}

export const dropped = (name: string): Cookie => ({ name, value: '', maxAgeSec: 0 })

/** The cookies of a request. Of two with one name the first counts, which is the one with the longer path. */
export function readCookies(header: string | null | undefined): Map<string, string> {
  const cookies = new Map<string, string>()
  for (const pair of (header ?? '').split(';')) {
    const cut = pair.indexOf('=')
    const name = pair.slice(0, Math.max(cut, 0)).trim()
    if (name !== '' && !cookies.has(name)) cookies.set(name, pair.slice(cut + 1).trim())
  }
  return cookies
}
