import { execFile } from 'node:child_process'
import { cp, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { createClient } from '@hey-api/openapi-ts'
import openapiTypescript, { astToString } from 'openapi-typescript'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { givenAdmin } from '../../apps/api/test/given.ts'
import { startWorld, type World } from '../../apps/api/test/service.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const run = promisify(execFile)

let world: World
let token: string
let folder: string
beforeAll(async () => {
  world = await startWorld('pglite')
  token = await givenAdmin(world)
  folder = await mkdtemp(join(tmpdir(), 'rolecall-clients-'))
  // The generated clients use the packages of this folder.
  await symlink(join(root, 'tools/peers/node_modules'), join(folder, 'node_modules'))
  await cp(join(root, 'tools/peers/clients'), folder, { recursive: true })
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
})
afterAll(async () => {
  await world?.close()
  if (folder) await rm(folder, { recursive: true })
})

/** Compiles one of `clients` with its imports, with all strict options of TypeScript, and loads it. */
async function compile(name: string) {
  const strict = ['--strict', '--noUncheckedIndexedAccess', '--skipLibCheck', 'false']
  const target = [
    '--target',
    'es2022',
    '--module',
    'nodenext',
    '--lib',
    'es2022,dom,dom.iterable',
    '--types',
    '',
  ]
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  const args = ['--ignoreConfig', ...strict, ...target, '--outDir', 'compiled', `${name}.ts`]
  const failed = await run(process.execPath, [tsc, ...args], { cwd: folder }).then(
    () => '',
    ({ stdout }: { stdout: string }) => stdout,
  )
  expect(failed).toBe('')
  const made = (await import(pathToFileURL(join(folder, 'compiled', `${name}.js`)).href)) as {
    walk(url: string, token: string): Promise<unknown>
  }
  return made.walk(world.url, token)
}

test('a client of openapi-typescript compiles strictly, and talks to the service', async () => {
  const document = await (await fetch(`${world.url}/api/openapi.json`)).json()
  await writeFile(join(folder, 'schema.ts'), astToString(await openapiTypescript(document)))
  expect(await compile('fetch')).toEqual({ name: 'Made by a client', refused: 'INVALID_TOKEN' })
})

test('an SDK of hey-api compiles strictly, and talks to the service', async () => {
  const input = await (await fetch(`${world.url}/api/openapi.json`)).json()
  await createClient({
    input,
    output: { path: join(folder, 'generated'), tsConfigPath: null, importFileExtension: '.js' },
    logs: { level: 'silent', file: false },
    plugins: ['@hey-api/typescript', '@hey-api/sdk', '@hey-api/client-fetch'],
  })
  expect(await compile('sdk')).toEqual({
    total: 1,
    refused: 'OPERATION_REQUIRED',
    unknown: 'WEBHOOK_NOT_FOUND',
  })
})
