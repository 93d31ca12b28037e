import { execFileSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { installOnce } from '../../tools/install-once.js'

const folder = fileURLToPath(new URL('.', import.meta.url))

/**
 * Installs the packages of the peers, which are the servers that the benchmark compares with, and compiles the peers.
 */
export async function buildPeers() {
  await installOnce('bench/peers')
  const typescript = dirname(createRequire(import.meta.url).resolve('typescript/package.json'))
  execFileSync(process.execPath, [join(typescript, 'bin', 'tsc'), '-b', folder], { stdio: 'inherit' })
}
