/**
 * Parses a URL. Returns undefined if the text is not one. Does not use `URL.canParse`, which is wrong in Node.js 20:
 * for text with Latin-1 characters, it can return false although `new URL` parses the text.
 */
export function parseUrl(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base)
  } catch {
    return undefined
  }
}
