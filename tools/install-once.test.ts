import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
const run = promisify(execFile)

test('processes that need the same packages at once install them once', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'rolecall-install-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  await mkdir(join(folder, 'part'))
  const dependencies = { part: 'file:part' }
  const files = {
    'part/package.json': { name: 'part', version: '1.0.0' },
    'package.json': { name: 'whole', version: '1.0.0', dependencies },
    'package-lock.json': {
      name: 'whole',
      version: '1.0.0',
      lockfileVersion: 3,
      packages: {
        '': { name: 'whole', version: '1.0.0', dependencies },
        'node_modules/part': { resolved: 'part', link: true },
        part: { version: '1.0.0' },
      },
    },
  }
  for (const [name, content] of Object.entries(files))
    await writeFile(join(folder, name), JSON.stringify(content))
  const install = () =>
    run(process.execPath, ['tools/install-once.js', relative(root, folder)], { cwd: root })
  const said = await Promise.all([install(), install(), install()])
  expect(said.map(({ stderr }) => stderr).filter((text) => text.includes('Installing'))).toHaveLength(1)
})
