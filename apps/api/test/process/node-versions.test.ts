import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, test } from 'vitest'
import { installRuntime, nodePackage } from '../../../../tools/installed-runtime.ts'
import { root, run } from '../../../../tools/sdk/installed.ts'

// Runs only with RUNTIMES=all and in CI, because each version is a download of 100 MB. Later runs use the same
// downloads.
const isWanted = process.env['RUNTIMES'] === 'all' || process.env['CI'] !== undefined

const built = (name: string) =>
  JSON.stringify(pathToFileURL(join(root, 'apps/api/dist/platform/http', `${name}.js`)).href)
/** Prints the version and the problem of the private parts of Node.js, or null if they pass the check. */
const program = `
  import { problemOfInternals } from ${built('check-internals')}
  import { nodeInternals } from ${built('node-internals')}
  const problem = await problemOfInternals(nodeInternals)
  console.log(JSON.stringify([process.version, problem ?? null]))`

describe.each(['20', '22', '24'])('on Node.js %s', (major) => {
  test('the private parts of Node.js pass the start-up check', async ({ skip }) => {
    skip(!isWanted, 'other versions of Node.js are downloaded only with RUNTIMES=all')
    const node = join(await installRuntime(nodePackage(major)), 'bin/node')
    const [version, problem] = JSON.parse(await run(node, ['--input-type=module', '-e', program], root))
    expect(version).toMatch(new RegExp(`^v${major}\\.`))
    expect(problem).toBeNull()
  })
})
