import { readdir, readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'

/** The library may use the language, and the APIs that browsers, Node, Deno, Bun and edge runtimes share. */
test('imports nothing at run time but its own files, so that it runs on any JavaScript runtime', async () => {
  const folder = new URL('.', import.meta.url)
  // Node.js runs the program that sets up an app. Apps do not import it.
  const files = (await readdir(folder, { recursive: true })).filter(
    (name) => /(?<!\.test|\.d)\.ts$/.test(name) && !name.startsWith('init/'),
  )
  expect(files.length).toBeGreaterThan(20)
  for (const name of files) {
    const source = await readFile(new URL(name, folder), 'utf8')
    const imports = [...source.matchAll(/^(?:import|export) (?!type )[^;]*? from '([^']+)'/gm)]
    // React is installed in every app that imports the hook.
    const known =
      name === 'react.ts'
        ? /: (react|\.\/browser\.ts)$/
        : /: (\.\.?\/)+(site\/)?(languages\/)?[a-z0-9-]+\.ts$/
    for (const [, from] of imports) expect(`${name}: ${from}`).toMatch(known)
    // One file checks for `process`, for a feature that `fetch` lacks.
    const own = name === 'open-stream.ts' ? /\b(Buffer|require)\b[.(]/ : /\b(process|Buffer|require)\b[.(]/
    expect(source, name).not.toMatch(own)
  }
})
