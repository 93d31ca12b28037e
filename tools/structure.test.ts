import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { findDangling, graphOf, isTest, listFiles, readTree } from './source-graph.ts'
import { rules } from './structure-rules.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const tree = readTree(root)
const graph = graphOf(tree)
const { names, codeOf } = graph

describe('the structure', () => {
  test('is read, through every kind of import', () => {
    expect(names.length).toBeGreaterThan(150)
    const imported = graph.importsOf('apps/api/src/app.ts')
    expect(imported).toContain('apps/api/src/features/login/routes.ts')
    expect(imported).toContain('apps/api/src/platform/http/router.ts')
    expect(graph.importsOf('apps/api/src/features/sessions/validate.ts').join()).toContain('/session-memory/')
    expect(names.flatMap(graph.importsOf)).toContain('packages/contract/src/index.ts')
  })

  test.each(rules)('$title', ({ find }) => {
    expect(find(graph)).toEqual([])
  })

  test.each(rules)('a planted violation is found: $title', ({ find, planted: { path, text } }) => {
    const before = tree.sources.get(path) ?? ''
    const sources = new Map([...tree.sources, [path, `${text}\n${before}`]])
    expect(find(graphOf({ ...tree, sources })).join()).toContain(path)
  })

  test.each(['#session-memory/none', '#nowhere/x', '@rolecall/contract/none', '@rolecall/none', './none.ts'])(
    'an import of %s, which leads nowhere, is found',
    (specifier) => {
      const path = 'apps/api/src/planted.ts'
      const sources = new Map([...tree.sources, [path, `import '${specifier}'`]])
      expect(findDangling(graphOf({ ...tree, sources }))).toHaveLength(1)
    },
  )

  test('pages link to pages that exist', () => {
    const pages = listFiles(root, /\.md$/).map((path) => [path, readFileSync(path, 'utf8')] as const)
    const broken = pages.flatMap(([path, text]) =>
      [...text.matchAll(/\]\((?!https?:|mailto:)([^)#\s]+)/g)]
        .filter(([, to = '']) => !existsSync(resolve(dirname(path), to)))
        .map(([, to]) => `${relative(root, path)} → ${to}`),
    )
    expect(pages.length).toBeGreaterThan(10)
    expect(broken).toEqual([])
  })

  test('no test is skipped or runs alone, but those that say which program of others they lack', () => {
    const marks =
      /\b(test|it|describe)\.(only|todo|skipIf|runIf)\b|\.skip\b|\bskip\(|\{[^}]*\bskip\b[^}]*\}\) *=>/
    const skipping = names.filter(
      (name) => (isTest(name) || name.startsWith('acceptance/')) && marks.test(codeOf(name)),
    )
    const rolling = 'apps/api/test/process/rolling.test.ts'
    const versions = 'apps/api/test/process/node-versions.test.ts'
    const [runtimes, stacks] = ['tools/sdk/runtimes.test.ts', 'tools/sdk/stacks.test.ts']
    // Members sign in at the simulated platform: a service without it is tested only by its address.
    const byAddress = 'acceptance/api/service.ts'
    const [guides, python] = ['clients/guides.test.ts', 'clients/python/python.test.ts']
    const examples = 'acceptance/browser/examples.test.ts'
    const door = 'apps/api/test/process/protecting-proxies.test.ts'
    const badDays = 'apps/api/test/process/bad-days.browser.test.ts'
    const parties = 'apps/api/test/process/relying-parties.browser.test.ts'
    const [restore, artifacts] = ['apps/api/test/process/restore.test.ts', 'tools/artifacts.test.ts']
    const move = 'apps/api/test/process/move-to-postgresql.test.ts'
    const pooler = 'apps/api/test/process/pooler.test.ts'
    // Only root can mount a small disk.
    const smallDisk = 'apps/api/src/platform/db/full-folder.test.ts'
    // Only root can hand a folder to another user.
    const owner = 'apps/api/src/cli/keep-owner.test.ts'
    // Only Linux changes the limits of a running process.
    const fileLimit = 'apps/api/test/process/full-disk.test.ts'
    expect(skipping).toEqual([
      byAddress,
      examples,
      owner,
      smallDisk,
      badDays,
      fileLimit,
      move,
      versions,
      pooler,
      door,
      parties,
      restore,
      rolling,
      guides,
      python,
      artifacts,
      runtimes,
      stacks,
      'tools/structure.test.ts',
    ])
    // Skips the whole client for Python outside Debian.
    expect(codeOf(python).match(/\bskip\w*\([^)]*\)/g)).toEqual(['skipIf(!isReady)'])
    // Skips an example with a framework that has to be built, or in a language that is not installed.
    expect(codeOf(examples).match(/\bskip\([^)]*\)/g)).toEqual(['skip(reason)'])
    // Skips a guide in a language that is not installed.
    expect(codeOf(guides).match(/\bskip\w*\([^)]*\)/g)).toEqual(['skipIf(!isInstalled(program)'])
    // Skips a backup on PostgreSQL without its own tools, and the unit and the compose file without programs that read
    // them.
    expect(codeOf(restore).match(/\bskip\w*\([^)]*\)/g)).toEqual(["skipIf(engine === 'postgres' && !bin)"])
    expect(codeOf(artifacts).match(/\bskip\w*\(!has\('[\w-]+'\)/g)).toEqual([
      "skipIf(!has('systemd-analyze')",
      "skipIf(!has('docker-compose')",
    ])
    // CONTRIBUTING.md describes RUNTIMES=all, which downloads the other runtimes.
    expect(codeOf(runtimes).match(/\bskip\([^)]*\)/g)).toEqual([
      "skip(!isWanted, 'other runtimes are loaded with RUNTIMES=all')",
    ])
    expect(codeOf(versions).match(/\bskip\([^)]*\)/g)).toEqual([
      "skip(!isWanted, 'other versions of Node.js are downloaded only with RUNTIMES=all')",
    ])
    // The same for STACKS=all, and frameworks that must be built.
    expect(codeOf(stacks).match(/\bskip\([^)]*\)/g)).toEqual(["skip('they are loaded with STACKS=all')"])
    expect(codeOf(door).match(/\bskip\([^)]*\)/g)).toEqual(['skip(!canProtect(program)'])
    expect(codeOf(parties).match(/\bskip\([^)]*\)/g)).toEqual(['skip(!isThere()'])
    // One each for HAProxy, nginx and Caddy.
    const skips = codeOf(rolling).match(/\bskip\([^)]*\)/g) ?? []
    expect(skips).toHaveLength(3)
    for (const one of skips) expect(one).toMatch(/^skip\(!isInstalled\('(haproxy|nginx|caddy)'\)/)
  })

  test('the files that docs/where-things-happen.md names are there', () => {
    const page = readFileSync(join(root, 'docs/where-things-happen.md'), 'utf8')
    const named = [...page.matchAll(/`([\w-]+(?:\/[\w-]+)*\/[\w-]+(?:\.ts)?)`/g)].map(([, path = '']) => path)
    expect(named.length).toBeGreaterThan(40)
    const missing = named.filter(
      (path) => !existsSync(join(root, 'apps/api/src', path)) && !existsSync(join(root, path)),
    )
    expect(missing).toEqual([])
  })
})
