import { isIPv4, isIPv6 } from 'node:net'

/**
 * Returns the name under which an address is counted. All IPv6 addresses of a /64 share one name, because a /64 is the
 * smallest network of a customer and has 2^64 addresses (RFC 6177). An IPv4 address in IPv6 (`::ffff:192.0.2.1`, in any
 * spelling) counts as the IPv4 address. All values from a proxy that are not addresses share one name.
 */
export function addressBucket(ip: string): string {
  if (isIPv4(ip)) return `address:${ip}`
  if (!isIPv6(ip)) return 'address:none'
  const groups = groupsOf(ip)
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff
  if (isMapped) return `address:${groups.slice(6).flatMap(bytesOf).join('.')}`
  const network = groups.slice(0, 4).map((group) => group.toString(16))
  return `address:${network.join(':')}::/64`
}

/** Returns the eight groups of an IPv6 address (RFC 4291, section 2.2). */
function groupsOf(ip: string): number[] {
  const [head = '', tail] = (ip.split('%')[0] ?? '').split('::')
  const [before, after] = [partsOf(head), partsOf(tail ?? '')]
  const zeros = Array<number>(8 - before.length - after.length).fill(0)
  return [...before, ...zeros, ...after]
}

/** Parses groups. A dotted IPv4 address at the end counts as two groups. */
const partsOf = (text: string): number[] =>
  text === ''
    ? []
    : text.split(':').flatMap((part) => (part.includes('.') ? pairsOf(part) : Number.parseInt(part, 16)))

function pairsOf(ipv4: string): number[] {
  const [a = 0, b = 0, c = 0, d = 0] = ipv4.split('.').map(Number)
  return [a * 256 + b, c * 256 + d]
}

const bytesOf = (group: number) => [group >> 8, group & 255]
