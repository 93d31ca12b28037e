import { once } from 'node:events'
import { createServer } from 'node:net'

/** What is wrong with HOST on this machine, in one line; undefined when it can be listened on. */
export async function hostProblem(host: string): Promise<string | undefined> {
  // On any port: whether the wanted one is free is another question.
  const server = createServer()
  try {
    server.listen({ host, port: 0, exclusive: true })
    await once(server, 'listening')
    return undefined
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return code === 'ENOTFOUND' || code === 'EAI_AGAIN'
      ? 'HOST cannot be resolved: use an address of this machine, like 127.0.0.1, 0.0.0.0 or ::.'
      : `HOST is no address of this machine (${code}): use one that is, like 127.0.0.1, 0.0.0.0 or ::.`
  } finally {
    server.close()
  }
}
