import { demo } from '@rolecall/chat-sim'
import { describe, expect, test } from 'vitest'
import { findMirrored, listToSample } from '#mirror/gateway/samples-store'
import { findRunningSync, insertSync, releaseSync, takeOverSyncs } from '#mirror/rest/sync-store'
import { uuidv7 } from '#platform/crypto/uuid'
import { sql } from '#platform/db/sql'
import { call } from './client.ts'
import { engines } from './databases.ts'
import { givenSession } from './given.ts'
import { adminForTests, projectForTests, worldForTests } from './world-for-tests.ts'

const club = demo.mainGuildId

/**
 * Statements of code that is otherwise tested only on PostgreSQL, each with the result that both engines must return.
 */
describe.each(engines)('on %s', (engine) => {
  const world = worldForTests(engine, { PERMISSION_TTL_MS: '3600000' })
  const admin = adminForTests(world)
  const project = projectForTests(world, { name: 'Harbour Tickets', isInternal: true })
  const idsOf = async (path: string, key: 'id' | 'projectId') => {
    const { status, body } = await call(world.url, 'GET', `/api/admin/projects${path}`, admin)
    expect(status).toBe(200)
    return body.data.map((one: { id: string; projectId: string }) => one[key])
  }

  test('the filters of the lists of projects narrow each other', async () => {
    const { id } = project
    expect(await idsOf('?isActive=true&isInternal=true&name=TICKETS', 'id')).toEqual([id])
    expect(await idsOf('?isActive=true&isInternal=false&name=TICKETS', 'id')).toEqual([])
    expect(await idsOf('?isActive=false', 'id')).toEqual([])
    const matrix = `/access/matrix?projectId=${id}&serverId=${club}&scope=read_members`
    expect(await idsOf(`${matrix}&projectName=tickets`, 'projectId')).toEqual([id])
    const ofServer = `/servers/${club}/projects?scope=read_members&isActive`
    expect(await idsOf(`${ofServer}=true`, 'projectId')).toContain(id)
    expect(await idsOf(`${ofServer}=false`, 'projectId')).toEqual([])
  })

  test('deliveries are found by what became of them, page by page', async () => {
    const { db } = world.service.deps
    const { id: projectId } = project
    await db.execute(sql`
      insert into deliveries (kind, project_id, type, data, created_at, delivered_at, failed_at)
      select 'notice', ${projectId}, 'key.revoked', '{"text":"x"}'::jsonb, clock_now() - n * interval '1 minute',
        case when n in (1, 2) then clock_now() end, case when n = 3 then clock_now() end
      from generate_series(1, 4) n`)
    const list = (query: string) =>
      call(world.url, 'GET', `/api/admin/projects/${projectId}/deliveries${query}`, admin)
    const statuses = async (query: string) =>
      (await list(query)).body.data.map(({ status }: { status: string }) => status)
    expect(await statuses('?status=delivered')).toEqual(['delivered', 'delivered'])
    expect(await statuses('?status=failed')).toEqual(['failed'])
    expect(await statuses('?status=pending')).toEqual(['pending'])
    const { nextCursor } = (await list('?limit=2')).body
    expect(await statuses(`?limit=2&cursor=${nextCursor}`)).toEqual(['failed', 'pending'])
  })

  test('of two syncs of a server one is begun, and what is left is taken over', async () => {
    const { db } = world.service.deps
    await db.execute(sql`delete from member_syncs`)
    const run = { serverId: club, runner: uuidv7(), by: {} }
    const [first, second] = [
      { ...run, id: uuidv7() },
      { ...run, id: uuidv7() },
    ]
    await db.transaction(async (tx) => {
      expect((await insertSync(tx, first))?.sync).toMatchObject({ id: first.id, status: 'running' })
      expect(await insertSync(tx, second)).toBeUndefined()
      expect((await findRunningSync(tx, club))?.sync).toMatchObject({ id: first.id, status: 'running' })
    })
    expect(await takeOverSyncs(db, second.runner)).toEqual([])
    expect(await releaseSync(db, first)).toBe(1)
    expect(await takeOverSyncs(db, second.runner)).toEqual([expect.objectContaining({ id: first.id })])
    await db.execute(sql`delete from member_syncs`)
  })

  test('members are sampled in the order of their ids, those that were not confirmed lately', async () => {
    const { db } = world.service.deps
    const { ada, joon, mara } = demo.users
    for (const as of [ada, joon]) await givenSession(world, project, as)
    await db.execute(sql`
      update memberships set synced_at = clock_now() - interval '11 minutes'
      where server_id = ${club} and member_id in (${ada}, ${joon})`)
    const { memberIds, last } = await listToSample(db, { serverId: club, after: '', size: 1_000 })
    expect([memberIds.toSorted(), last]).toEqual([[ada, joon].toSorted(), undefined])
    expect(await listToSample(db, { serverId: club, after: '', size: 1 })).toEqual({
      memberIds: [],
      last: mara,
    })
    expect(await findMirrored(db, club, mara)).toMatchObject({
      hasLeft: false,
      roleIds: expect.arrayContaining([demo.adminRoleId]),
    })
  })
})
