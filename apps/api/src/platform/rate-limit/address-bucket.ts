import { isIPv4, isIPv6 } from 'node:net'

/**
 * Returns the rate limit bucket of an IP address. All IPv6 addresses of a /64 network share one bucket, because the
 * smallest network of a customer is a /64, with 2^64 addresses (RFC 6177). An IPv4 address in IPv6 form (such as
 * `::ffff:192.0.2.1`) counts as IPv4. Values that are not addresses share one bucket.
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

/** Returns the eight 16-bit groups of an IPv6 address (RFC 4291 §2.2). */
function groupsOf(ip: string): number[] {
  const [head = '', tail] = (ip.split('%')[0] ?? '').split('::')
  const [before, after] = [partsOf(head), partsOf(tail ?? '')]
  const zeros = Array<number>(8 - before.length - after.length).fill(0)
  return [...before, ...zeros, ...after]
}

/** Parses groups in hexadecimal. A dotted IPv4 address at the end becomes two groups. */
const partsOf = (text: string): number[] =>
  text === ''
    ? []
    : text.split(':').flatMap((part) => (part.includes('.') ? pairsOf(part) : Number.parseInt(part, 16)))

function pairsOf(ipv4: string): number[] {
  const [a = 0, b = 0, c = 0, d = 0] = ipv4.split('.').map(Number)
  return [a * 256 + b, c * 256 + d]
}

const bytesOf = (group: number) => [group >> 8, group & 255]
