import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

// Runs the test suite, or the given test files, on another version of Node.js: node tools/on-node-24.js [FILES…]
// NODE_VERSION (24) can be any version of npm's package `node`, which contains the program. It is installed in
// node_modules/.cache. It comes first in PATH, so that programs which the tests start run on it, too. Hosted CI does
// not need this file, because it runs everything on 20.19 and 24 (.github/workflows/ci.yml).

const version = process.env['NODE_VERSION'] ?? '24'
const root = fileURLToPath(new URL('..', import.meta.url))
const folder = join(root, 'node_modules/.cache', `node-${version}`)
const program = join(folder, 'node_modules/node/bin/node')

// `--no-save` and a folder of its own keep the package out of the workspace.
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
