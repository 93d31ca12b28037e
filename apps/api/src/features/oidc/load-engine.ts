import type { Deps } from '../../deps.ts'

/**
 * Loads the protocol library (`oidc-provider`), which is needed only if a project uses OpenID Connect. On Node.js 20,
 * the library prints to the console that it expects a newer version. The parts that the service uses work on Node.js
 * 20, so this writes a debug line to the log instead.
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
