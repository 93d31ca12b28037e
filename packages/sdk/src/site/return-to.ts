/** The maximum length of an address. A longer one would not fit into the cookie of the sign-in. */
const maxCharacters = 1_500

/**
 * Returns the address to which a browser goes after the sign-in. This is `wanted` if it is a page of this app, or else
 * the start page.
 *
 * Returns a complete address, because a path alone could lead to another site: the path of `/.//evil.example`, which is
 * on this origin, is `//evil.example`. Excludes the sign-in routes, because they would start over.
 *
 * @param wanted an address or a path from the query of a request. Anyone may have chosen it.
 */
export function safeReturnTo(wanted: string | null | undefined, appUrl: string, authPath: string): string {
  const home = `${appUrl}/`
  if (!wanted || wanted.length > maxCharacters) return home
  try {
    const url = new URL(wanted, home)
    const path = decodeURIComponent(url.pathname)
      .replace(/[/\\]+/g, '/')
      .toLowerCase()
    const isOwn = path === authPath.toLowerCase() || path.startsWith(`${authPath.toLowerCase()}/`)
    const isHere = url.origin === appUrl && url.username + url.password === ''
    return isHere && !isOwn && url.href.length <= maxCharacters ? url.href : home
  } catch {
    return home
  }
}
