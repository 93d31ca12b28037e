/**
 * Returns true for the host of a URL that never leaves this machine. Names under `.localhost` do not count: not every
 * resolver keeps them local.
 */
export const isLoopbackHost = (hostname: string) => /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname)

/** Returns true for the address of a socket on this machine. */
export const isLoopbackAddress = (address: string) => /^(::1|(::ffff:)?127(\.\d{1,3}){3})$/.test(address)
