import { parseUrl } from '#platform/parse-url'

/**
 * Returns true for an address that may receive an admin code: `/` or below `/console/`, in the form that a browser
 * writes. Rejects an address that a URL parser changes, so that the browser opens exactly the checked address.
 */
export function isReturnTo(publicUrl: string, returnTo: string): boolean {
  const { origin } = new URL(publicUrl)
  const url = parseUrl(returnTo, origin)
  if (!url) return false
  const { href, pathname, hash } = url
  // Some servers decode a path before they resolve it. So an encoded dot, slash, backslash, or percent sign is
  // rejected.
  const isConsole = pathname.startsWith('/console/') && !/%(2e|2f|5c|25)/i.test(pathname)
  return (
    (returnTo === '/' || isConsole) && hash === '' && !returnTo.endsWith('#') && href === origin + returnTo
  )
}
