/** Longer ones would not fit the cookie that holds them. */
const mostCharacters = 1_500

/**
 * Where a browser goes after a login: an address of this app, as a whole, else its start page.
 *
 * As a whole, because a path alone may begin with two slashes (`/.//evil.example` is on this origin, and its path is
 * `//evil.example`). Not the routes of the login itself, which would go round in circles.
 */
export function safeReturnTo(wanted: string | null | undefined, appUrl: string, authPath: string): string {
  const home = `${appUrl}/`
  if (!wanted || wanted.length > mostCharacters) return home
  try {
    const url = new URL(wanted, home)
    const path = decodeURIComponent(url.pathname)
      .replace(/[/\\]+/g, '/')
      .toLowerCase()
    const isOwn = path === authPath.toLowerCase() || path.startsWith(`${authPath.toLowerCase()}/`)
    const isHere = url.origin === appUrl && url.username + url.password === ''
    return isHere && !isOwn && url.href.length <= mostCharacters ? url.href : home
  } catch {
    return home
  }
}
