import { isIP } from 'node:net'

/** The maximum length of a stored user agent. */
const maxUserAgent = 512

/** Returns the IP address in a header, or null if the value is not one. */
export const readIp = (value: string | string[] | undefined): string | null => {
  const text = typeof value === 'string' ? value.trim() : ''
  return isIP(text) ? text : null
}

/**
 * Returns a user agent that is safe to store and show: without control characters, and truncated. Returns null if
 * nothing is left.
 */
export const readUserAgent = (value: string | string[] | undefined): string | null => {
  const text = typeof value === 'string' ? value : ''
  // Node.js decodes headers as Latin-1, but browsers send UTF-8.
  const decoded = Buffer.from(text, 'latin1').toString('utf8')
  const printable = decoded
    .replace(/[\p{Cc}\p{Cs}\p{Cf}]/gu, '')
    .slice(0, maxUserAgent)
    .toWellFormed()
  return printable || null
}
