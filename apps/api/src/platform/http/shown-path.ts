import { maskCredentials } from '#platform/crypto/tokens'

/** The maximum length of the result. */
const longest = 200

/**
 * Returns the path of an address so that it is safe to store and show: without the query, and with masked credentials.
 */
export function shownPath(url: string): string {
  const path = url.split(/[?#]/, 1)[0] ?? ''
  return maskCredentials(decoded(path))
    .replaceAll(/[\p{Cc}\p{Cs}]/gu, '')
    .slice(0, longest)
}

/**
 * Decodes a path, because a percent-encoded credential could not be recognized. If the encoding is invalid, decodes
 * only ASCII characters.
 */
function decoded(path: string): string {
  if (!path.includes('%')) return path
  try {
    return decodeURIComponent(path)
  } catch {
    return path.replaceAll(/%([2-7][0-9a-f])/gi, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    )
  }
}
