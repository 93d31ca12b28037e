import { readdir, readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'

/** What the library may use: the language, and what browsers, Node, Deno, Bun and edge runtimes share. */
test('imports nothing at run time but its own files, so that it runs on any JavaScript runtime', async () => {
  const folder = new URL('.', import.meta.url)
  // The program that sets an app up is run by Node.js, and is no part of what apps import.
  const files = (await readdir(folder, { recursive: true })).filter(
    (name) => /(?<!\.test|\.d)\.ts$/.test(name) && !name.startsWith('init/'),
  )
  expect(files.length).toBeGreaterThan(20)
  for (const name of files) {
    const source = await readFile(new URL(name, folder), 'utf8')
    const imports = [...source.matchAll(/^(?:import|export) (?!type )[^;]*? from '([^']+)'/gm)]
    // React is there where somebody imports the hook.
    const known = name === 'react.ts' ? /: (react|\.\/browser\.ts)$/ : /: \.\.?\/(site\/)?[a-z0-9-]+\.ts$/
    for (const [, from] of imports) expect(`${name}: ${from}`).toMatch(known)
    // One file asks whether there is a `process`, for what `fetch` cannot do.
    const own = name === 'open-stream.ts' ? /\b(Buffer|require)\b[.(]/ : /\b(process|Buffer|require)\b[.(]/
    expect(source, name).not.toMatch(own)
  }
})
