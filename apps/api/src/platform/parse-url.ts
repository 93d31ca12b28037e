/**
 * Parses a URL. Returns undefined if the text is not a URL. Does not use `URL.canParse`: once V8 has optimized the
 * caller, Node.js 20 passes the bytes of a Latin-1 string as UTF-8, and `canParse` returns false for addresses that
 * `new URL` parses.
 */
export function parseUrl(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base)
  } catch {
    return undefined
  }
}
