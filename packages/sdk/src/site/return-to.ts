/** Longer addresses would not fit into the cookie that holds them. */
const maxCharacters = 1_500

/**
 * Returns the address to which a browser goes after the sign-in: the complete address of a page of this app, otherwise
 * its start page.
 *
 * The address is complete because a path alone may begin with two slashes (`/.//evil.example` is on this origin, and
 * its path is `//evil.example`). The sign-in routes are excluded, because they would loop.
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
