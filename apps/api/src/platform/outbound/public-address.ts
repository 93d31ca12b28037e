import { BlockList, isIP } from 'node:net'

/** The IPv4 networks that are not part of the public internet (RFC 6890 and its registry). */
const special4: readonly [string, number][] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  // Link-local addresses. Cloud providers serve the metadata of a machine there.
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  // Multicast, reserved, and broadcast addresses.
  ['224.0.0.0', 3],
  // A public address that, inside Azure, leads to the host of the virtual machine.
  ['168.63.129.16', 32],
]

/**
 * The only assigned part of the public IPv6 internet. Everything else is not public: loopback, link-local, unique
 * local, multicast, and the ways to write an IPv4 address (mapped, compatible, and NAT64).
 */
const public6: readonly [string, number] = ['2000::', 3]
const special6: readonly [string, number][] = [
  // Protocol assignments of the IETF, among them Teredo, whose addresses contain an IPv4 address.
  ['2001::', 23],
  ['2001:db8::', 32],
  // 6to4, whose addresses contain an IPv4 address.
  ['2002::', 16],
  ['3fff::', 20],
]

const blocked4 = new BlockList()
for (const [network, prefix] of special4) blocked4.addSubnet(network, prefix, 'ipv4')
const given6 = new BlockList()
given6.addSubnet(...public6, 'ipv6')
const blocked6 = new BlockList()
for (const [network, prefix] of special6) blocked6.addSubnet(network, prefix, 'ipv6')

/**
 * Returns true if the text is an IP address in the public internet. The service connects only to such addresses if a
 * client has chosen the host.
 */
export function isPublicAddress(address: string): boolean {
  // A zone refers to a network interface of this machine.
  if (address.includes('%')) return false
  const version = isIP(address)
  if (version === 4) return !blocked4.check(address, 'ipv4')
  return version === 6 && given6.check(address, 'ipv6') && !blocked6.check(address, 'ipv6')
}
