import { isIPv6 } from 'node:net'

/**
 * The name under which an address is counted. An IPv6 address counts with its whole /64: that is the least that a
 * customer gets, so whoever holds one holds 2^64 addresses (RFC 6177). IPv4 in IPv6 (`::ffff:192.0.2.1`) is that IPv4.
 */
export function addressBucket(ip: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ip)?.[1]
  if (mapped) return `address:${mapped}`
  return isIPv6(ip) ? `address:${networkOf(ip)}` : `address:${ip}`
}

/** The first four of the eight groups, each without leading zeros: one spelling for one network. */
function networkOf(ip: string): string {
  const [head = '', tail] = (ip.split('%')[0] ?? '').split('::')
  const before = groupsOf(head)
  const after = groupsOf(tail ?? '')
  const zeros =
    tail === undefined ? [] : Array<string>(Math.max(0, 8 - before.length - after.length)).fill('0')
  const groups = [...before, ...zeros, ...after].slice(0, 4)
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`
}

/** A dotted IPv4 at the end stands for two groups; they are behind the first four, so their value does not matter. */
const groupsOf = (text: string): string[] =>
  text === '' ? [] : text.split(':').flatMap((group) => (group.includes('.') ? ['0', '0'] : [group]))
