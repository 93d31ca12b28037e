import { demo } from '@rolecall/chat-sim'
import { expect, test } from 'vitest'
import { sql } from '#platform/db/sql'
import { call } from '../../../test/client.ts'
import { givenProject, givenSession } from '../../../test/given.ts'
import { countLockWaits } from '../../../test/lock-waits.ts'
import { adminForTests, worldForTests } from '../../../test/world-for-tests.ts'

const { ada } = demo.users

const world = worldForTests('postgres')
const admin = adminForTests(world)

test('sign-outs of one member by a project and by an administrator never deadlock', async () => {
  const project = await givenProject(world)
  await givenSession(world, project, ada)
  const { db } = world.service.deps
  // Their order in the table is not the order of their IDs, as after a sign-in in an older browser.
  const [first, second] = ['00000000-0000-7000-8000-000000000001', '00000000-0000-7000-8000-000000000002']
  for (const id of [second, first])
    await db.execute(sql`
      insert into sso_sessions (id, digest, member_id, expires_at)
      values (${id}::uuid, ${id}, ${ada}, clock_now() + interval '1 hour')`)
  const deadlocks = () =>
    db.maybeOne<{ deadlocks: string }>(sql`
      select deadlocks::text from pg_stat_database where datname = current_database()`)
  const waiting = () => countLockWaits(db)
  const before = await deadlocks()
  const ended = await db.transaction(async (tx) => {
    await tx.execute(sql`select from sso_sessions where id = ${first}::uuid for update`)
    const byProject = call(world.url, 'POST', '/api/auth/logout-all', {
      key: project.key,
      body: { memberId: ada },
    })
    await expect.poll(waiting).toBe(1)
    const byAdmin = call(world.url, 'DELETE', `/api/admin/members/${ada}/sessions`, { ...admin })
    await expect.poll(waiting).toBe(2)
    return [byProject, byAdmin]
  })
  const statuses = (await Promise.all(ended)).map(({ status }) => status)
  expect(statuses).toEqual([200, 204])
  // The server publishes its figures after a second.
  await new Promise((resolve) => setTimeout(resolve, 1_500))
  expect(await deadlocks()).toEqual(before)
})
