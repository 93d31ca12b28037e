import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
const run = promisify(execFile)

/** Creates a folder with a package that has an install script, which writes the file `ran`. */
async function createFolder(allowScripts?: Record<string, boolean>) {
  const folder = await mkdtemp(join(tmpdir(), 'rolecall-install-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  await mkdir(join(folder, 'part'))
  const dependencies = { part: 'file:part' }
  const scripts = { install: "node --eval \"fs.writeFileSync('ran', '')\"" }
  const files = {
    'part/package.json': { name: 'part', version: '1.0.0', scripts },
    'package.json': { name: 'whole', version: '1.0.0', dependencies, allowScripts },
    'package-lock.json': {
      name: 'whole',
      version: '1.0.0',
      lockfileVersion: 3,
      packages: {
        '': { name: 'whole', version: '1.0.0', dependencies },
        'node_modules/part': { resolved: 'part', link: true },
        part: { version: '1.0.0', hasInstallScript: true },
      },
    },
  }
  for (const [name, content] of Object.entries(files))
    await writeFile(join(folder, name), JSON.stringify(content))
  return folder
}

const install = (folder: string) =>
  run(process.execPath, ['tools/install-once.js', relative(root, folder)], { cwd: root })

test('processes that need the same packages at once install them once', async () => {
  const folder = await createFolder()
  const said = await Promise.all([install(folder), install(folder), install(folder)])
  expect(said.map(({ stderr }) => stderr).filter((text) => text.includes('Installing'))).toHaveLength(1)
})

test.each([
  ['runs', { 'file:part': true }, true],
  ['does not run', undefined, false],
])('it %s an install script if package.json says %j', async (_, allowScripts, expected) => {
  const folder = await createFolder(allowScripts)
  await install(folder)
  expect(existsSync(join(folder, 'part/ran'))).toBe(expected)
})
