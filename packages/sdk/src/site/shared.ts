/**
 * The key of the shared state. The number changes if the state becomes incompatible with that of older versions.
 */
const place = Symbol.for('rolecall 1')

/**
 * Returns the value that this process created first for a key.
 *
 * Frameworks load a module several times: Next.js loads it separately for the proxy, the pages, and the routes, and
 * again at each change during development. Without sharing, each copy would have its own connection, cache, and
 * refreshes.
 */
export function sharedBy<Value>(key: string, make: () => Value): Value {
  const holder = globalThis as { [place]?: Map<string, unknown> }
  holder[place] ??= new Map()
  const value = holder[place].get(key) ?? make()
  holder[place].set(key, value)
  // Only this function writes to the map, and all callers create the same type for a key.
  return value as Value
}
