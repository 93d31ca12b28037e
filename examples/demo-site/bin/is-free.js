import { createServer } from 'node:net'

/**
 * Returns true if a program can listen on this port of 127.0.0.1.
 *
 * @param {number} port
 * @returns {Promise<boolean>}
 */
export const isFree = (port) =>
  new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', () => resolve(false))
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)))
  })
