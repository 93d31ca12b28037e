import { parseUrl } from '#platform/parse-url'

/**
 * Where an admin code may go: `/` or below `/console/`, written as a browser would write it. Whatever a URL parser
 * turns into another address is refused, so what is checked is what is opened.
 */
export function isReturnTo(publicUrl: string, returnTo: string): boolean {
  const { origin } = new URL(publicUrl)
  const url = parseUrl(returnTo, origin)
  if (!url) return false
  const { href, pathname, hash } = url
  // Some servers decode a path before they resolve it; nothing that decodes to another path is taken.
  const isConsole = pathname.startsWith('/console/') && !/%(2e|2f|5c|25)/i.test(pathname)
  return (
    (returnTo === '/' || isConsole) && hash === '' && !returnTo.endsWith('#') && href === origin + returnTo
  )
}
