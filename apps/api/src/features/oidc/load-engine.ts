import type { Deps } from '../../deps.ts'

/**
 * Loads the protocol library. On Node.js 20 it prints that it wants another one, in no format of the log. Our tests run
 * all that we use of it on that version, so the line is for whoever looks for it.
 */
export async function loadEngine({ log }: Pick<Deps, 'log'>): Promise<typeof import('./engine.ts')> {
  const { warn } = console
  console.warn = (...said: unknown[]) => {
    if (String(said[0]).includes('oidc-provider WARNING: Unsupported runtime'))
      log.debug('the library for OpenID Connect is written for Node.js 22 or newer')
    else warn(...said)
  }
  try {
    return await import('./engine.ts')
  } finally {
    console.warn = warn
  }
}
