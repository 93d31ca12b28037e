import type { Deps } from '../../deps.ts'

/**
 * Loads the protocol library. On Node.js 20 it prints a warning that it expects another version, not in the format of the
 * log. Our tests run everything that we use of it on that version, so the warning is logged at debug level.
 */
export async function loadEngine({ log }: Pick<Deps, 'log'>): Promise<typeof import('./engine.ts')> {
  const { warn } = console
  console.warn = (...args: unknown[]) => {
    if (String(args[0]).includes('oidc-provider WARNING: Unsupported runtime'))
      log.debug('oidc-provider supports Node.js 22 or newer')
    else warn(...args)
  }
  try {
    return await import('./engine.ts')
  } finally {
    console.warn = warn
  }
}
