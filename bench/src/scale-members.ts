import { listMembers } from '@rolecall/api/features/members/list-members'
import { addMembers, settle } from './copies.ts'
import { inPlace } from './place.ts'
import { environment, prepare, roleIds, seedSessions, serverId } from './seed.ts'
import type { Row, Table } from './table.ts'

/** The number of requests. A single pause of the machine does not change the 95th percentile. */
const times = 100

/** Measures how long the service takes to list and to search the members of one server, page by page. */
export async function measureMembers(sizes: readonly number[]): Promise<Table[]> {
  return inPlace(0, async ({ postgres }) => {
    const tables: Table[] = []
    for (const size of sizes) {
      console.log(`${size.toLocaleString('en')} members`)
      const env = { ...environment, DATABASE_URL: await postgres.database(`members_${size}`) }
      tables.push(await prepare(env, (deps) => measureSize(deps, size)))
    }
    return tables
  })
}

async function measureSize(deps: Parameters<Parameters<typeof prepare>[1]>[0], size: number): Promise<Table> {
  await seedSessions(deps, 1)
  await addMembers(deps.db, serverId, roleIds, size)
  await settle(deps.db)
  const last = size - (size % 5) - 1
  const queries: Record<string, Parameters<typeof listMembers>[1]> = {
    'first page': {},
    'page 5,000': { page: 5_000 },
    'last page': { page: Math.floor(size / 20) },
    'search for one name': { search: `delta${last}` },
    'search that matches every fifth name': { search: 'coral' },
    'search without a match': { search: 'nobody' },
    'one role': { roleId: [roleIds[0] ?? ''] },
    'one server, a role, a part of a name': {
      serverId: [serverId],
      roleId: [roleIds[1] ?? ''],
      search: 'amber1',
    },
  }
  const rows: Row[] = []
  for (const [name, query] of Object.entries(queries)) {
    const took: number[] = []
    let total = 0
    for (let i = 0; i < times; i++) {
      const from = performance.now()
      total = (await listMembers(deps, query)).total
      took.push(performance.now() - from)
    }
    took.sort((a, b) => a - b)
    const at = (part: number) => took[Math.ceil(took.length * part) - 1] ?? 0
    rows.push({ name, total, p50: at(0.5), p95: at(0.95), max: took.at(-1) ?? 0 })
    console.log(`  ${name}: p50 ${at(0.5).toFixed(1)} ms`)
  }
  return {
    id: `members-${size}`,
    title: `Lists of ${size.toLocaleString('en')} members`,
    note: `PostgreSQL. ${times} requests each, one after another.`,
    columns: [
      { key: 'name', title: 'List' },
      { key: 'total', title: 'Members found', digits: 0 },
      { key: 'p50', title: 'p50 ms', digits: 1 },
      { key: 'p95', title: 'p95 ms', digits: 1 },
      { key: 'max', title: 'Slowest ms', digits: 1 },
    ],
    rows,
  }
}
