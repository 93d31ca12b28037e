import { isIP } from 'node:net'

const maxUserAgent = 512

/** Returns a forwarded address, or null if the value is not an IP address. */
export const readIp = (value: string | string[] | undefined): string | null => {
  const text = typeof value === 'string' ? value.trim() : ''
  return isIP(text) ? text : null
}

/** Returns a user agent in a form that may be stored and shown: printable, and truncated to a readable length. */
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
