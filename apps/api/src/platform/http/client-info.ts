import { isIP } from 'node:net'

const maxUserAgent = 512

/** Returns a forwarded address, or null if it is not one: a value from a client is stored only if it is valid. */
export const readIp = (value: string | string[] | undefined): string | null => {
  const text = typeof value === 'string' ? value.trim() : ''
  return isIP(text) ? text : null
}

/** Returns a user agent in a form that may be stored and shown: printable, and truncated to a readable length. */
export const readUserAgent = (value: string | string[] | undefined): string | null => {
  const text = typeof value === 'string' ? value : ''
  // Header bytes arrive as Latin-1; browsers write UTF-8 if they write more than ASCII at all.
  const decoded = Buffer.from(text, 'latin1').toString('utf8')
  const printable = decoded
    .replace(/[\p{Cc}\p{Cs}\p{Cf}]/gu, '')
    .slice(0, maxUserAgent)
    .toWellFormed()
  return printable || null
}
