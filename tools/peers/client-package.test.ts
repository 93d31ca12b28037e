import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { EdgeRuntime } from 'edge-runtime'
import { publint } from 'publint'
import { rolldown } from 'rolldown'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type GivenProject, givenProject, givenSession } from '../../apps/api/test/given.ts'
import { startWorld, type World } from '../../apps/api/test/service.ts'
import { type Installed, installPackage, root, run, walked, writeWalk } from '../sdk/installed.ts'

/** The maximum size of the core in a bundle, compressed, in bytes. */
const maxBytes = 8 * 1024
/**
 * The maximum size of an adapter with the complete sign-in, including the client. It runs on servers. About 10 kB of it
 * are the texts of pages in twelve languages.
 */
const maxSiteBytes = 26_000
const maxBrowserBytes = 2 * 1024
const modules = [
  '.',
  './admin',
  './browser',
  './express',
  './fastify',
  './fetch',
  './hono',
  './next',
  './nuxt',
  './react',
  './sveltekit',
]

let world: World
let project: GivenProject
let installed: Installed
beforeAll(async () => {
  world = await startWorld('pglite', { PERMISSION_TTL_MS: '3600000' })
  project = await givenProject(world)
  installed = await installPackage()
})
afterAll(async () => {
  await world?.close()
  if (installed) await rm(installed.folder, { recursive: true })
})

const given = async () => {
  const { token, refreshToken } = await givenSession(world, project)
  return { url: world.url, key: project.key, token, refreshToken }
}

describe('the package', () => {
  test('has no finding of publint', async () => {
    const { messages } = await publint({ pkgDir: installed.staged, strict: true })
    expect(messages).toEqual([])
  })

  test('has correct types in every module resolution', async () => {
    const manifest = createRequire(import.meta.url).resolve('@arethetypeswrong/cli/package.json')
    const cli = join(dirname(manifest), 'dist/index.js')
    const flags = ['--profile', 'node16', '--format', 'json']
    const { analysis } = JSON.parse(await run(process.execPath, [cli, installed.tarball, ...flags], root))
    expect(Object.keys(analysis.entrypoints)).toEqual([...modules, './package.json'])
    // TypeScript no longer supports the resolution of Node.js before version 12, which has no subpaths.
    const inUse = ({ resolutionKind }: { resolutionKind: string }) => resolutionKind !== 'node10'
    expect(analysis.problems.filter(inUse)).toEqual([])
  })

  test('needs no other package, and carries what a reader of it needs and nothing else', async () => {
    const manifest = JSON.parse(await readFile(join(installed.staged, 'package.json'), 'utf8'))
    expect(manifest).toMatchObject({
      name: '@rolecall/sdk',
      license: 'MIT',
      sideEffects: false,
      repository: { type: 'git' },
    })
    // React is a peer, and only for apps that import its hook.
    expect(manifest.peerDependenciesMeta).toEqual({ react: { optional: true } })
    expect(Object.keys(manifest.peerDependencies)).toEqual(['react'])
    for (const key of ['private', 'dependencies', 'devDependencies', 'scripts']) {
      expect(manifest).not.toHaveProperty(key)
    }
    expect(Object.keys(manifest.exports)).toEqual([...modules, './package.json'])
    expect(JSON.stringify(manifest)).not.toContain('development')
    const files = await readdir(installed.staged, { recursive: true })
    expect(files).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'package.json']))
    expect(
      files.filter(
        (file) =>
          !/^(LICENSE|README\.md|(cjs|esm)(\/site(\/languages)?)?(\/[\w-]+(\.d\.ts|\.js))?|esm\/init(\/[\w-]+\.js)?|(cjs\/)?package\.json)$/.test(
            file,
          ),
      ),
    ).toEqual([])
    for (const file of files.filter((name) => /\.[jt]s$/.test(name))) {
      const text = await readFile(join(installed.staged, file), 'utf8')
      expect(text, file).not.toMatch(/sourceMappingURL|@rolecall\/contract|typebox/)
    }
  })

  test('has a README whose links work outside of the repository', async () => {
    const readme = await readFile(join(installed.staged, 'README.md'), 'utf8')
    const links = [...readme.matchAll(/\]\(([^)\s]+)\)/g)].map(([, to]) => to)
    expect(links.length).toBeGreaterThan(1)
    for (const link of links) expect(link).toMatch(/^(https:|#)/)
  })

  test('weighs little: the core in a bundle, and less where less is imported', async () => {
    const weigh = async (code: string) => gzipSync(await bundle(code)).length
    const core = await weigh("export { Rolecall, RolecallError, mintLogin } from '@rolecall/sdk'")
    expect(core).toBeLessThanOrEqual(maxBytes)
    expect(await weigh("export { mintLogin } from '@rolecall/sdk'")).toBeLessThan(400)
    const whole = "export { createRolecall, sessionOf } from '@rolecall/sdk/express'"
    expect(await weigh(whole)).toBeLessThanOrEqual(maxSiteBytes)
    const browser = await weigh("export { watchMember } from '@rolecall/sdk/browser'")
    expect(browser).toBeLessThanOrEqual(maxBrowserBytes)
  })
})

/** Bundles a program that imports the package into one file. */
async function bundle(code: string, format: 'esm' | 'iife' = 'esm'): Promise<string> {
  const input = join(installed.app, 'bundled.mjs')
  await writeFile(input, code)
  const made = await rolldown({ input, cwd: installed.app, platform: 'neutral' })
  const { output } = await made.generate({ format, minify: true, name: 'bundled' })
  await made.close()
  return output[0].code
}

describe('an app that has installed the package', () => {
  test.each(['esm', 'cjs'] as const)('uses it as %s, and ends by itself', async (kind) => {
    const programs = await writeWalk(installed.app, await given())
    const startedAt = performance.now()
    const said = await run(process.execPath, [programs[kind]], installed.app)
    expect(JSON.parse(said)).toEqual(walked)
    // If an open connection kept the process alive, it would end only when the server closes it, after a minute.
    expect(performance.now() - startedAt).toBeLessThan(40_000)
  })

  test('gets the same classes by require and by import', async () => {
    const code = `const sdk = require('@rolecall/sdk')
      import('@rolecall/sdk').then((other) => console.log(other.RolecallError === sdk.RolecallError))`
    await writeFile(join(installed.app, 'same.cjs'), code)
    expect(await run(process.execPath, ['same.cjs'], installed.app)).toBe('true\n')
  })

  // Loads several copies into one process, as bundlers and frameworks do.
  test('knows its own errors from whichever copy they come', async () => {
    const folder = JSON.stringify(join(installed.app, 'node_modules/@rolecall/sdk'))
    const code = `const cjs = require(${folder} + '/cjs/index.js')
      import(${folder} + '/esm/index.js').then((esm) => {
        const error = new cjs.RolecallError('TIMEOUT', 'late')
        console.log(cjs.RolecallError !== esm.RolecallError, error instanceof esm.RolecallError)
        console.log(new Error('x') instanceof esm.RolecallError, null instanceof esm.RolecallError)
      })`
    await writeFile(join(installed.app, 'copies.cjs'), code)
    expect(await run(process.execPath, ['copies.cjs'], installed.app)).toBe('true true\nfalse false\n')
  })

  // Other runtimes and older bundlers use this condition.
  test('finds CommonJS where a program knows nothing else', async () => {
    const names = modules.filter((name) => name !== './react')
    const code = `const names = ${JSON.stringify(names)}.map((name) => '@rolecall/sdk' + name.slice(1))
      console.log(names.map((name) => Object.keys(require(name)).length > 0).join())`
    await writeFile(join(installed.app, 'old.cjs'), code)
    const flags = ['--no-experimental-require-module', 'old.cjs']
    expect(await run(process.execPath, flags, installed.app)).toBe(`${names.map(() => 'true').join()}\n`)
  })

  test.each([
    ['node16', 'node16', ['app.mts', 'app.cts']],
    ['nodenext', 'nodenext', ['app.mts', 'app.cts']],
    ['esnext', 'bundler', ['app.ts']],
  ])(
    'compiles strictly, in two versions of TypeScript, with module %s and resolution %s',
    async (module, moduleResolution, files) => {
      for (const file of files) await writeFile(join(installed.app, file), consumer)
      const strict = { strict: true, exactOptionalPropertyTypes: true, skipLibCheck: false, noEmit: true }
      const target = { target: 'es2022', lib: ['es2022', 'dom', 'dom.iterable'], types: [] }
      const config = { compilerOptions: { ...strict, ...target, module, moduleResolution }, files }
      await writeFile(join(installed.app, 'tsconfig.json'), JSON.stringify(config))
      for (const workspace of ['package.json', 'tools/peers/package.json']) {
        const typescript = createRequire(join(root, workspace)).resolve('typescript/package.json')
        await run(process.execPath, [join(dirname(typescript), 'bin/tsc')], installed.app)
      }
    },
  )

  test('runs in an edge runtime, which has neither Node.js nor all of the newer web', async () => {
    const code = `import * as sdk from '@rolecall/sdk'\nimport { walk } from './walk.mjs'
      export const walked = walk(sdk, ${JSON.stringify(await given())})`
    const edge = new EdgeRuntime()
    expect(edge.evaluate('typeof process + typeof require')).toBe('undefinedundefined')
    edge.evaluate(await bundle(code, 'iife'))
    expect({ ...(await edge.evaluate('bundled.walked')) }).toEqual(walked)
  })
})

/** Uses the types of the package. Each \`@ts-expect-error\` marks a required error. */
const consumer = `
import { mintLogin, Rolecall, RolecallError, type Session } from '@rolecall/sdk'
import { createGuard, sessionOf } from '@rolecall/sdk/express'
import { createGuard as forFastify } from '@rolecall/sdk/fastify'
import { createGuard as forHono } from '@rolecall/sdk/hono'
import { createGuard as forNext } from '@rolecall/sdk/next'

const rolecall = new Rolecall({ baseUrl: 'https://id.example', apiKey: 'rck_x', cache: { maxAgeMs: 1 } })
export async function walk(): Promise<string | undefined> {
  const session: Session | undefined = await rolecall.validate(mintLogin().state)
  const first: string | undefined = session?.roles[0]?.roleName
  const source: 'gateway' | 'rest' | 'mirror' | undefined = session?.rolesSource
  // @ts-expect-error there is no such field
  session?.member.nothing
  try {
    await rolecall.exchange({ clientId: 'c', code: 'x', redirectUri: 'r' })
  } catch (error) {
    if (!(error instanceof RolecallError)) throw error
    if (error.code === 'INVALID_CODE') return error.detail
    if (error.code === 'VALIDATION_FAILED') {
      const status: 400 = error.status
      return error.errors.map(({ path }) => path + status).join()
    }
    if (error.code === 'TIMEOUT') {
      const none: undefined = error.status
      return none
    }
    // @ts-expect-error there is no such code
    if (error.code === 'NOBODY_SAYS_THIS') return
    throw error
  }
  return first ?? source
}
export async function read(serverId: string): Promise<void> {
  for await (const { memberId, roles } of rolecall.members(serverId)) console.log(memberId, roles[0]?.roleId)
  for await (const event of rolecall.events({ after: '1-2-3' })) {
    if (event.type === 'member.left') console.log(event.data.memberId)
    // @ts-expect-error not every event is about a member
    console.log(event.data.memberId)
  }
  const { allowed } = await rolecall.checkPermissions(serverId, { memberId: '1', anyOf: ['2'] })
  const receipt: { readonly id: string } = await rolecall.webhooks.submit('contact', { allowed })
  console.log(receipt.id)
}
export const guards = [createGuard(rolecall), forFastify(rolecall), forHono(rolecall), forNext(rolecall)]
export const requested = sessionOf({ headers: {} })
`
