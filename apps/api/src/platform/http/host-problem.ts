import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * Tests whether the service can listen on HOST. Returns the problem and the fix in one line, or undefined if it can.
 */
export async function hostProblem(host: string): Promise<string | undefined> {
  // Uses any free port: this tests only the address. The configured port may be in use.
  const server = createServer()
  try {
    server.listen({ host, port: 0, exclusive: true })
    await once(server, 'listening')
    return undefined
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return code === 'ENOTFOUND' || code === 'EAI_AGAIN'
      ? 'HOST cannot be resolved. Use an address of this machine, such as 127.0.0.1, 0.0.0.0, or ::.'
      : `HOST is not an address of this machine (${code}). Use one of its addresses, such as 127.0.0.1, 0.0.0.0, or ::.`
  } finally {
    server.close()
  }
}
