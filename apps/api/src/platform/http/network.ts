import { isIP } from 'node:net'

/**
 * Returns true for an IP address, or a network in CIDR notation such as `10.0.0.0/8` or `fd00::/8`. Returns false for
 * `/0`, which would trust every address.
 */
export function isAddressOrNetwork(text: string): boolean {
  const [address = '', prefix, ...more] = text.split('/')
  const version = address.includes('%') ? 0 : isIP(address)
  if (version === 0 || more.length > 0) return false
  if (prefix === undefined) return true
  return /^[1-9]\d{0,2}$/.test(prefix) && Number(prefix) <= (version === 4 ? 32 : 128)
}
