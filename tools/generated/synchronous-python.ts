/** Asynchronous word → synchronous word, applied in this order. */
const rules: readonly (readonly [from: RegExp, to: string])[] = [
  [/\basync (?=def |with |for )/g, ''],
  [/\bawait /g, ''],
  [/\bAsync(?=[A-Z])/g, ''],
  [/\basync_(?=[a-z])/g, ''],
  [/\b__a(?=enter__|exit__)/g, '__'],
  [/\ba(?=close\b|iter_bytes\b|read\b)/g, ''],
  [/\bfrom asyncio import sleep\b/g, 'from time import sleep'],
  [/\bfor asyncio\b/g, 'for threads'],
  [/\bfor each event loop\b/g, 'for each process'],
]
/** Whatever a rule has missed. */
const leftover = /.*(?:async|await|event loop).*/i

/**
 * Returns an asynchronous module of the Python client as the synchronous one. Words are replaced and nothing is parsed,
 * so a line that needs more than that belongs to a module that both share.
 *
 * @throws when a word of asyncio is left
 */
export function asSynchronous(source: string, name: string): string {
  const text = rules.reduce((all, [from, to]) => all.replace(from, to), source)
  const [line] = leftover.exec(text) ?? []
  if (line !== undefined)
    throw new Error(`${name} has no synchronous form: no rule replaces a word of "${line.trim()}".`)
  return `# Generated from ${name} by tools/build-generated.js. Do not edit.\n${text}`
}
