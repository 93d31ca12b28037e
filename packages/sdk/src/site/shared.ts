/** Of the form of what is shared: other versions of this library have places of their own. */
const place = Symbol.for('rolecall 1')

/**
 * One of each for all modules of a program. Frameworks load a module several times (Next.js once for each of proxy, pages and routes,
 * and anew at each change while it is worked on): a client each would have a connection, a cache and refreshes of its own.
 */
export function sharedBy<Made>(key: string, make: () => Made): Made {
  const holder = globalThis as { [place]?: Map<string, unknown> }
  holder[place] ??= new Map()
  const made = holder[place].get(key) ?? make()
  holder[place].set(key, made)
  // Only this file writes there, and a key names what is made.
  return made as Made
}
