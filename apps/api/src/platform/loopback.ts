/**
 * Returns true if a host in a URL always means this machine. Names under `.localhost` do not count, because some
 * resolvers look them up elsewhere.
 */
export const isLoopbackHost = (hostname: string) => /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname)

/** Returns true if the address of a socket belongs to this machine. */
export const isLoopbackAddress = (address: string) => /^(::1|(::ffff:)?127(\.\d{1,3}){3})$/.test(address)
