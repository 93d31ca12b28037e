import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { root, run } from './sdk/installed.ts'

const folder = join(root, 'node_modules/.cache/rolecall-runtimes')
const isArm = process.arch === 'arm64'

/** Returns the npm package that contains the binary of a Node.js version. Installing it runs no script. */
export const nodePackage = (version: string) =>
  `node-${process.platform}-${isArm ? 'arm64' : 'x64'}@${version}`

/** Installs a runtime in a folder outside the workspace. In the workspace, its `node` would run every npm script. */
export async function installRuntime(spec: string): Promise<string> {
  const place = join(folder, spec.replaceAll('/', '-'))
  const name = spec.replace(/(?<=.)@[\d.]+$/, '')
  if (!existsSync(join(place, 'node_modules', name))) {
    await mkdir(place, { recursive: true })
    await run(
      'npm',
      ['install', '--prefix', place, '--no-audit', '--no-fund', '--ignore-scripts', spec],
      place,
    )
  }
  return join(place, 'node_modules', name)
}
