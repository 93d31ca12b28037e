/** Names the version of the shared state: other versions of this library have their own place. */
const place = Symbol.for('rolecall 1')

/**
 * Returns one shared instance for all modules of a program. Frameworks load a module several times (Next.js once each
 * for proxy, pages and routes, and again at each change during development). Several clients would each have their own
 * connection, cache and refreshes.
 */
export function sharedBy<Made>(key: string, make: () => Made): Made {
  const holder = globalThis as { [place]?: Map<string, unknown> }
  holder[place] ??= new Map()
  const made = holder[place].get(key) ?? make()
  holder[place].set(key, made)
  // Only this file writes there, and a key names the type of its value.
  return made as Made
}
