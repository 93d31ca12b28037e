/** The replacements of asynchronous words by synchronous ones, in the order in which they are applied. */
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
/** Matches a line with a word that no rule has replaced. */
const leftover = /.*(?:async|await|event loop).*/i

/**
 * Converts an asynchronous module of the Python client to a synchronous one. It replaces words without parsing, so code
 * that needs more than that belongs in a module without a generated form.
 *
 * @throws if a word of asyncio remains
 */
export function asSynchronous(source: string, name: string): string {
  const text = rules.reduce((all, [from, to]) => all.replace(from, to), source)
  const [line] = leftover.exec(text) ?? []
  if (line !== undefined)
    throw new Error(`${name} has no synchronous form: no rule replaces a word of "${line.trim()}".`)
  return `# Generated from ${name} by tools/build-generated.js. Do not edit.\n${text}`
}
