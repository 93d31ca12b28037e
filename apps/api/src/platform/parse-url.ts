/**
 * The URL that a text is, or undefined. Not `URL.canParse`: once V8 has optimised its caller, Node.js 20 hands it the bytes
 * of a Latin-1 string as UTF-8, and it answers false for addresses that `new URL` reads.
 */
export function parseUrl(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base)
  } catch {
    return undefined
  }
}
