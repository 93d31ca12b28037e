/** The place of the shared state. Other versions of this library, with another number, have their own. */
const place = Symbol.for('rolecall 1')

/**
 * Returns one shared instance for all modules of a program. Frameworks load a module several times (Next.js once each
 * for proxy, pages and routes, and again at each change during development). Several clients would each have their own
 * connection, cache and refreshes.
 */
export function sharedBy<Value>(key: string, make: () => Value): Value {
  const holder = globalThis as { [place]?: Map<string, unknown> }
  holder[place] ??= new Map()
  const value = holder[place].get(key) ?? make()
  holder[place].set(key, value)
  // Only this file writes there, and a key names the type of its value.
  return value as Value
}
