import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'

/** The rules of the house about how files depend on each other, held by reading every import there is. */

const root = fileURLToPath(new URL('..', import.meta.url))
const workspaces = ['apps', 'packages', 'examples', 'acceptance', 'bench', 'clients', 'tools']
/** "About 300 lines": beyond this a file wants to be two. */
const mostLines = 340
/** Tests are tables, read row by row. */
const mostTestLines = 500
/** Longer, and why. */
const exceptions: Record<string, string> = {
  'apps/api/src/config.ts': 'a table: a few lines for each variable',
  'packages/contract/src/webhooks.ts': 'a table: eleven endpoints and their schemas',
  'packages/contract/src/errors.ts': 'a table: one row for each code',
  'packages/sdk/src/contract-types.ts': 'generated from the contract',
  'packages/sdk/src/admin-types.ts': 'generated from the contract',
  'apps/api/src/platform/cache/redis-cache.test.ts':
    'one fault after another, on one set of servers and relays',
}

const ignored = new Set(['node_modules', 'dist', 'coverage', 'public', '.git', '.rolecall'])
const files = workspaces.flatMap((folder) => list(join(root, folder))).sort()

function list(folder: string, wanted = /(?<!\.d)\.tsx?$/): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return ignored.has(entry.name) ? [] : list(path, wanted)
    return wanted.test(entry.name) ? [path] : []
  })
}

const sources = new Map(files.map((path) => [relative(root, path), readFileSync(path, 'utf8')]))
const names = [...sources.keys()]
const isTest = (name: string) => /\.test\.tsx?$/.test(name) || /\/test\//.test(name)

/** A file without its comments. */
const codeOf = (name: string) => (sources.get(name) ?? '').replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')

/** Everything a file imports or re-exports, types included: of ours as a path, of others as it is written. */
function importsOf(name: string): string[] {
  const text = codeOf(name)
  const found = text.matchAll(
    /(?:^|\n)\s*(?:import|export)\b[^'"`;]*?\bfrom\s*['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]|(?:^|\n)\s*import\s*['"]([^'"]+)['"]/g,
  )
  return [...found].map(([, from, dynamic, bare]) => resolveImport(name, from ?? dynamic ?? bare ?? ''))
}

function resolveImport(name: string, specifier: string): string {
  if (specifier.startsWith('.')) return relative(root, resolve(root, dirname(name), specifier))
  const [, folder, rest] = /^#(\w+)\/(.+)$/.exec(specifier) ?? []
  return folder ? `apps/api/src/${folder}/${rest}.ts` : specifier
}

const graph = new Map(names.map((name) => [name, importsOf(name)]))

/** The first circle that is found, as the files that make it up. */
function findCycle(): string[] | undefined {
  const done = new Set<string>()
  const visit = (name: string, path: string[]): string[] | undefined => {
    const start = path.indexOf(name)
    if (start >= 0) return [...path.slice(start), name]
    if (done.has(name)) return undefined
    for (const next of graph.get(name) ?? []) {
      const cycle = graph.has(next) ? visit(next, [...path, name]) : undefined
      if (cycle) return cycle
    }
    done.add(name)
    return undefined
  }
  for (const name of names) {
    const cycle = visit(name, [])
    if (cycle) return cycle
  }
  return undefined
}

/** Imports of files that match `from`, as "file → import", where the rule says no. */
const offending = (from: RegExp, isAllowed: (imported: string, importer: string) => boolean) =>
  names
    .filter((name) => from.test(name) && !isTest(name))
    .flatMap((name) =>
      (graph.get(name) ?? []).filter((one) => !isAllowed(one, name)).map((one) => `${name} → ${one}`),
    )

const featureOf = (path: string) => /^apps\/api\/src\/features\/([^/]+)\//.exec(path)?.[1]

describe('the structure', () => {
  test('is read at all', () => {
    expect(names.length).toBeGreaterThan(150)
    expect(graph.get('apps/api/src/app.ts')).toContain('apps/api/src/features/login/routes.ts')
    expect(graph.get('apps/api/src/app.ts')).toContain('apps/api/src/platform/http/router.ts')
  })

  test('no file imports itself, by whatever detour; types count', () => {
    expect(findCycle() ?? []).toEqual([])
  })

  test('every import of a file of ours names a file that is there', () => {
    const dangling = offending(/./, (one) => !/^(apps|packages)\/.*\.tsx?$/.test(one) || sources.has(one))
    expect(dangling).toEqual([])
  })

  // app.ts and create-deps.ts pass functions. The types of callers belong to everyone.
  test('no feature imports another feature', () => {
    const shared = ['apps/api/src/features/callers.ts']
    const crossing = offending(/^apps\/api\/src\/features\//, (one, importer) => {
      const to = featureOf(one)
      return to === undefined || to === featureOf(importer) || shared.includes(one)
    })
    expect(crossing).toEqual([])
  })

  test('the mirror and the audit log know no feature, and nothing of how they are put together', () => {
    const below = (layers: string) => (one: string) =>
      !one.startsWith('apps/') || new RegExp(`^apps/api/src/(${layers})/`).test(one)
    expect(offending(/^apps\/api\/src\/mirror\//, below('mirror|audit|chat|platform'))).toEqual([])
    expect(offending(/^apps\/api\/src\/audit\//, below('audit|platform'))).toEqual([])
  })

  test('the platform knows no feature, no chat, and nothing of how it is put together', () => {
    expect(
      offending(
        /^apps\/api\/src\/platform\//,
        (one) => !one.startsWith('apps/') || one.startsWith('apps/api/src/platform/'),
      ),
    ).toEqual([])
  })

  test('what answers from memory knows the platform only', () => {
    expect(
      offending(
        /^apps\/api\/src\/session-memory\//,
        (one) => !one.startsWith('apps/') || /^apps\/api\/src\/(session-memory|platform)\//.test(one),
      ),
    ).toEqual([])
  })

  test('the chat adapter knows the platform’s parts only, and it alone knows the platform’s own words', () => {
    expect(
      offending(
        /^apps\/api\/src\/chat\//,
        (one) => !one.startsWith('apps/') || /^apps\/api\/src\/(chat|platform)\//.test(one),
      ),
    ).toEqual([])
    const theirs = /^(discord-api-types|@discordjs\/|oauth4webapi)/
    expect(offending(/^apps\/api\/src\/(?!chat\/)/, (one) => !theirs.test(one))).toEqual([])
  })

  test('the contract and the simulator import nothing of ours', () => {
    expect(
      offending(/^packages\/contract\//, (one) => one.startsWith('packages/contract/') || one === 'typebox'),
    ).toEqual([])
    expect(
      offending(
        /^packages\/chat-sim\//,
        (one) => one.startsWith('packages/chat-sim/') || !/^(apps|packages|@rolecall)\b/.test(one),
      ),
    ).toEqual([])
  })

  test('the service never has the simulator in it, and nobody outside reaches into the service', () => {
    expect(
      offending(/^apps\/api\/src\//, (one) => !one.startsWith('@rolecall/') || one === '@rolecall/contract'),
    ).toEqual([])
    expect(offending(/^(packages|examples)\//, (one) => !one.startsWith('apps/api/src/'))).toEqual([])
    // The console has the service's checker of schemas, and nothing else of it.
    expect(
      offending(
        /^apps\/console\/src\//,
        (one) =>
          !/^(apps\/|@rolecall\/)api\b/.test(one) || one.startsWith('@rolecall/api/platform/json-schema/'),
      ),
    ).toEqual([])
    expect(
      offending(
        /^packages\/sdk\//,
        (one) => one.startsWith('packages/sdk/') || !/^(apps|packages|@rolecall\/(?!contract$))/.test(one),
      ),
    ).toEqual([])
  })

  // What it knows of the service, anyone with its address knows. Its tests are no exception.
  test('acceptance imports nothing of the service', () => {
    const known = names
      .filter((name) => name.startsWith('acceptance/'))
      .flatMap((name) => (graph.get(name) ?? []).map((one) => [name, one] as const))
    expect(known.length).toBeGreaterThan(50)
    const inside = known.filter(([, one]) => /^(apps|bench)\/|^#/.test(one))
    expect(inside.map((pair) => pair.join(' → '))).toEqual([])
  })

  // By what files import, not by their names alone: SQL is in stores, and in the mirror's own files.
  test('a store speaks SQL and throws no HTTP; routes have no SQL', () => {
    const stores =
      /\/([\w-]+-)?store\.ts$|^apps\/api\/src\/mirror\/(write-(members|servers)|read-(roles|servers|members))\.ts$/
    expect(names.filter((name) => stores.test(name)).length).toBeGreaterThan(25)
    expect(offending(stores, (one) => !one.startsWith('apps/api/src/platform/http/'))).toEqual([])
    // Conditions made of the filters that a request names; their statements are in stores.
    const pieces = [
      'apps/api/src/features/audit/filters.ts',
      'apps/api/src/features/monitoring/read-auth-failures.ts',
      'apps/api/src/features/webhooks/read-submissions.ts',
    ]
    const speaking = names.filter(
      (name) =>
        /^apps\/api\/src\/(features|mirror|audit|session-memory)\//.test(name) &&
        !isTest(name) &&
        (graph.get(name) ?? []).includes('apps/api/src/platform/db/sql.ts'),
    )
    expect(speaking.filter((name) => !stores.test(name))).toEqual(pieces)
    expect(offending(/\/routes\.ts$/, (one) => one !== 'apps/api/src/platform/db/sql.ts')).toEqual([])
  })

  test('the environment of the process is read in one file of the service', () => {
    const readers = names.filter((name) => !isTest(name) && /\bprocess\.env\b/.test(codeOf(name)))
    const commands =
      /^(apps\/api\/src\/environment\.ts|packages\/sdk\/|apps\/api\/test\/|acceptance\/|bench\/|tools\/|examples\/|packages\/chat-sim\/(bin|src\/cli))/
    expect(readers.filter((name) => !commands.test(name))).toEqual([])
  })

  // Every instance must agree on what has expired: only the database's clock decides.
  test('no feature decides anything by the clock of its machine', () => {
    const readers = names.filter(
      (name) =>
        /^apps\/api\/src\/(features|session-memory)\//.test(name) &&
        !isTest(name) &&
        /\bDate\.now\(\)/.test(codeOf(name)),
    )
    // A lease is measured by the clocks of its holder; what has expired is not.
    expect(readers).toEqual(['apps/api/src/session-memory/clock.ts'])
  })

  test('no file asks URL.canParse, which answers wrongly about Latin-1 text once it is optimised', () => {
    const asking = names.filter((name) => codeOf(name).includes(['URL', 'canParse('].join('.')))
    expect(asking).toEqual([])
  })

  // Arguments lie on the stack: a hundred thousand of them, which a client can send, are a RangeError.
  test('no list becomes the arguments of a call, unless it is known to be short', () => {
    const known: Record<string, string> = {
      'apps/api/src/config.ts': 'as many problems as there are variables',
      'apps/api/src/chat/discord-gateway.ts': 'as many as there are shards',
      'apps/api/src/chat/discord-webhook.ts': 'two',
    }
    const spreads = /\b(push|unshift|splice|max|min|fromCharCode|fromCodePoint)\((?:[^()]*,\s*)?\.\.\./
    const found = names.filter(
      (name) => name.startsWith('apps/api/src/') && !isTest(name) && spreads.test(codeOf(name)),
    )
    expect(found.filter((name) => known[name] === undefined)).toEqual([])
  })

  test('no file is longer than a reader follows', () => {
    const long = names
      .filter((name) => exceptions[name] === undefined)
      .map((name) => ({ name, lines: (sources.get(name) ?? '').split('\n').length }))
      .filter(({ name, lines }) => lines > (isTest(name) ? mostTestLines : mostLines))
      .map(({ name, lines }) => `${name}: ${lines}`)
    expect(long).toEqual([])
  })

  // Traces cost nothing, not even memory, to who does not send them anywhere.
  test('what traces are made with is imported by one file, and that file only when it is needed', () => {
    const tracer = 'apps/api/src/platform/tracing/open-telemetry.ts'
    expect(
      offending(/^apps\//, (one, importer) => !/^@opentelemetry\//.test(one) || importer === tracer),
    ).toEqual([])
    const eager = names.filter((name) => /from '#platform\/tracing\/open-telemetry'/.test(codeOf(name)))
    expect(eager).toEqual([])
  })

  test('pages link to pages that exist', () => {
    const pages = list(root, /\.md$/).map((path) => [path, readFileSync(path, 'utf8')] as const)
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
    const [runtimes, stacks] = ['tools/sdk/runtimes.test.ts', 'tools/sdk/stacks.test.ts']
    // Members log in at the simulated platform: without one, a service is tried by its address alone.
    const byAddress = 'acceptance/api/service.ts'
    const [guides, python] = ['clients/guides.test.ts', 'clients/python/python.test.ts']
    const examples = 'acceptance/browser/examples.test.ts'
    const door = 'apps/api/test/process/protecting-proxies.test.ts'
    const parties = 'apps/api/test/process/relying-parties.browser.test.ts'
    const [restore, artifacts] = ['apps/api/test/process/restore.test.ts', 'tools/artifacts.test.ts']
    const pooler = 'apps/api/test/process/pooler.test.ts'
    // A small disk can be mounted by root alone.
    const smallDisk = 'apps/api/src/platform/db/full-folder.test.ts'
    expect(skipping).toEqual([
      byAddress,
      examples,
      smallDisk,
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
    // The client for Python, all of it, where there is no Debian.
    expect(codeOf(python).match(/\bskip\w*\([^)]*\)/g)).toEqual(['skipIf(!isReady)'])
    // An example whose framework has to be built, or whose language is not installed.
    expect(codeOf(examples).match(/\bskip\([^)]*\)/g)).toEqual(['skip(reason)'])
    // A guide in another language, where that is not installed.
    expect(codeOf(guides).match(/\bskip\w*\([^)]*\)/g)).toEqual(['skipIf(!isInstalled(program)'])
    // A backup on PostgreSQL, without its own tools; the unit and the compose file, without what reads them.
    expect(codeOf(restore).match(/\bskip\w*\([^)]*\)/g)).toEqual(["skipIf(engine === 'postgres' && !bin)"])
    expect(codeOf(artifacts).match(/\bskip\w*\(!has\('[\w-]+'\)/g)).toEqual([
      "skipIf(!has('systemd-analyze')",
      "skipIf(!has('docker-compose')",
    ])
    // CONTRIBUTING.md tells of them. One for all runtimes that a nightly run loads.
    expect(codeOf(runtimes).match(/\bskip\([^)]*\)/g)).toEqual([
      "skip(!isWanted, 'other runtimes are loaded with RUNTIMES=all')",
    ])
    // The same for the frameworks that have to be built.
    expect(codeOf(stacks).match(/\bskip\([^)]*\)/g)).toEqual(["skip('they are loaded with STACKS=all')"])
    expect(codeOf(door).match(/\bskip\([^)]*\)/g)).toEqual(['skip(!canProtect(program)'])
    expect(codeOf(parties).match(/\bskip\([^)]*\)/g)).toEqual(['skip(!isThere()'])
    // One for each of HAProxy, nginx and Caddy.
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
