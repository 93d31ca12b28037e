import { maskCredentials } from '#platform/crypto/tokens'

const longest = 200

/**
 * Returns the path of an address in a form that may be stored and shown: without a query, and with masked credentials.
 */
export function shownPath(url: string): string {
  const path = url.split(/[?#]/, 1)[0] ?? ''
  return maskCredentials(decoded(path))
    .replaceAll(/[\p{Cc}\p{Cs}]/gu, '')
    .slice(0, longest)
}

/** Decodes a path, because a credential may be percent-encoded. An invalid encoding is shown unchanged. */
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
