import { setTimeout as sleep } from 'node:timers/promises'
import type { Deps } from '@rolecall/api/deps'
import { revokeSessionsOfDeparted } from '@rolecall/api/features/sessions/end-store'
import { createEventWriter } from '@rolecall/api/mirror/gateway/event-writer'
import { acquireLease } from '@rolecall/api/mirror/gateway/store'
import { syncMembers } from '@rolecall/api/mirror/rest/sync-members'
import { type Sql, sql } from '@rolecall/api/platform/db/sql'
import { serverCore } from './compare.ts'
import type { Pair } from './copies.ts'
import { createAsk, createSend, departed, listed, otherWork, type Send } from './mass-requests.ts'
import { deletedRoleId, type MassSizes, type MassSupply, seedMass, unreadServerId } from './mass-seed.ts'
import { alongside } from './other-work.ts'
import { inPlace } from './place.ts'
import { environment, prepare, serverId } from './seed.ts'
import { startRolecall } from './services.ts'
import type { Row, Table } from './table.ts'

const calmMs = 3_000
const patienceMs = 120_000

/**
 * Measures changes of thousands of rows: when they take effect, and how long other requests and changes wait meanwhile.
 * A process on the core of the load writes the events of the gateway to the database. So the service learns of them
 * like an instance that is not connected to the gateway.
 */
export async function measureMassChanges(sizes: MassSizes): Promise<Table> {
  return inPlace(0, async ({ postgres }) => {
    const env = { ...environment, DATABASE_URL: await postgres.database('mass') }
    return prepare(env, async (deps) => {
      const supply = await seedMass(deps, sizes)
      const service = await startRolecall(serverCore, env)
      const rows = await measure(deps, service.url, supply, sizes)
      await service.stop()
      return toTable(sizes, rows)
    })
  })
}

async function measure(deps: Deps, url: string, supply: MassSupply, sizes: MassSizes): Promise<Row[]> {
  const mirror = { ...deps, endSessions: { ofMembers: revokeSessionsOfDeparted } }
  const lead = await deps.db.transaction((tx) => acquireLease(tx, true))
  const fail = (reason: string) => () => {
    throw new Error(`Events were not written: ${reason}`)
  }
  const writer = createEventWriter(mirror, lead?.epoch ?? 0, {
    rolesUnknown: () => {},
    eventsLost: fail('events lost'),
    delayed: fail('delayed'),
    leadershipLost: fail('leadership lost'),
  })
  const { holders, leavers } = supply
  const ask = createAsk(url, supply.apiKey)
  const send = createSend(writer)
  const lanes = otherWork(deps, ask, send, supply)
  // Fills the cache of the service.
  for (const pair of [...holders.sessions, ...leavers.sessions]) await ask.holds(pair)

  const last = (pairs: readonly Pair[]) => pairs.at(-1) as Pair
  const parts: readonly [string, () => Promise<Row>][] = [
    ['nothing else', () => sleep(calmMs).then(() => ({}))],
    [
      `a role of ${holders.ids.length.toLocaleString('en')} members is deleted`,
      () =>
        deleteRole(deps, send, holders.ids, () => ask.holds(last(holders.sessions)).then((holds) => !holds)),
    ],
    [
      `${leavers.ids.length.toLocaleString('en')} members leave at once`,
      async () => {
        const from = performance.now()
        for (const id of leavers.ids) void send(departed(id))
        await until(() => ask.isEnded(last(leavers.sessions)))
        return { inForce: performance.now() - from }
      },
    ],
    [`the first read of ${sizes.read.toLocaleString('en')} members`, () => readAll(mirror, sizes.read)],
  ]
  const rows: Row[] = []
  for (const [name, work] of parts) {
    const { result, longest } = await alongside(lanes, work)
    rows.push({ name, ...result, ...longest })
    console.log(`  ${JSON.stringify(rows.at(-1))}`)
  }
  await writer.close()
  return rows
}

async function deleteRole(
  { db }: Deps,
  send: Send,
  holderIds: readonly string[],
  isGone: () => Promise<boolean>,
): Promise<Row> {
  const from = performance.now()
  void send({ kind: 'roleRemoved', serverId, roleId: deletedRoleId })
  await until(isGone)
  const inForce = performance.now() - from
  const isTaken = async (condition: Sql) => {
    const holders = await db.query(sql`
      select from memberships where left_at is null and role_ids @> array[${deletedRoleId}]::text[] and ${condition}`)
    return holders.length === 0
  }
  // Checks only some holders, by their keys. Checking all of them each time would take processor time from the removal.
  const some = holderIds.filter((_, i) => i % 40 === 0)
  await until(() => isTaken(sql`server_id = ${serverId} and member_id = any(${some}::text[])`), 20)
  await until(() => isTaken(sql`true`), 20)
  return { inForce, complete: performance.now() - from }
}

type Mirror = Parameters<typeof syncMembers>[0]

async function readAll(mirror: Mirror, count: number): Promise<Row> {
  const from = performance.now()
  const chat: Mirror['chat'] = {
    ...mirror.chat,
    members: async (_, after, limit) => listed(count, after, limit),
  }
  await syncMembers(
    { ...mirror, chat },
    {
      serverId: unreadServerId,
      counts: { seen: 0, changed: 0, ended: 0 },
      place: { after: '0', unlisted: [] },
      reportProgress: async () => {},
      request: (question) => question(),
    },
  )
  return { complete: performance.now() - from }
}

async function until(check: () => Promise<boolean>, pauseMs = 5) {
  const deadline = performance.now() + patienceMs
  while (!(await check())) {
    if (performance.now() > deadline) throw new Error('The change did not take effect in time.')
    await sleep(pauseMs)
  }
}

const toTable = ({ members }: MassSizes, rows: Row[]): Table => ({
  id: 'mass',
  title: `Thousands of changes at once, among ${members.toLocaleString('en')} members`,
  note: 'The longest wait of each kind of request and change while the change of the row is under way. PostgreSQL.',
  columns: [
    { key: 'name', title: 'Meanwhile' },
    { key: 'inForce', title: 'In force after ms', digits: 0 },
    { key: 'complete', title: 'Written after ms', digits: 0 },
    { key: 'validate', title: 'validate', digits: 0 },
    { key: 'refresh', title: 'refresh', digits: 0 },
    { key: 'logout', title: 'logout', digits: 0 },
    { key: 'event', title: 'change in another server', digits: 0 },
    { key: 'holder', title: 'change of one of the members', digits: 0 },
    { key: 'audited', title: 'audited change', digits: 0 },
  ],
  rows: rows.map((row) => ({ inForce: '', complete: '', ...row })),
})
