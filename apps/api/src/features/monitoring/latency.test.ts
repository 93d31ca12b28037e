import { latency, queues } from '@rolecall/contract'
import { describe, expect, test } from 'vitest'
import { call } from '../../../test/client.ts'
import { ciEngines } from '../../../test/databases.ts'
import { givenProject, validate } from '../../../test/given.ts'
import { adminForTests, worldForTests } from '../../../test/world-for-tests.ts'
import { sql } from '../../platform/db/sql.ts'

describe.each(ciEngines)('latency and queues on %s', (engine) => {
  const world = worldForTests(engine)
  const admin = adminForTests(world)

  const read = async (query = ''): Promise<latency.Latency[]> => {
    await world.service.recorder.flush()
    const path = `/api/admin/monitoring/latency?limit=500${query}`
    const { status, body, text } = await call(world.url, 'GET', path, admin)
    expect(status, text).toBe(200)
    return body.data
  }
  const rowOf = async (key: string, query = '') => (await read(query)).find((row) => row.key === key)

  test('what a project asks is measured and counted with its errors, by route and by project', async () => {
    const project = await givenProject(world, { name: 'Harbour log' })
    for (let i = 0; i < 5; i++) await validate(world, project, 'rcs_unknown')
    const route = 'POST /api/auth/validate'
    const row = await rowOf(route, `&projectId=${project.id}`)
    expect(row).toMatchObject({ name: route, count: 5, measured: 5, clientErrors: 5, serverErrors: 0 })
    expect(row?.took).toHaveLength(latency.latencyBoundsMs.length + 1)
    expect(row?.took.reduce((sum, count) => sum + count)).toBe(5)
    // As slow as the machine is, but never faster at a higher percentile.
    const [p50, p95, p99] = [row?.p50Ms, row?.p95Ms, row?.p99Ms].map((ms) => ms ?? Number.POSITIVE_INFINITY)
    expect([p50, p95, p99]).toEqual([p50, p95, p99].toSorted((a = 0, b = 0) => a - b))
    expect(await rowOf(project.id, '&groupBy=project')).toMatchObject({ name: 'Harbour log', count: 5 })
    expect(await rowOf('none', '&groupBy=project')).toMatchObject({ name: 'No project' })
    expect(await read(`&projectId=${project.id}&route=GET%20/api/health`)).toEqual([])
  })

  test('a day up to a moment of the first one begins with it', async () => {
    const path = '/api/admin/monitoring/latency?to=1970-01-01T00:00:00.008Z'
    const { status, body } = await call(world.url, 'GET', path, admin)
    expect([status, body.from, body.to]).toEqual([
      200,
      '1970-01-01T00:00:00.000Z',
      '1970-01-01T00:00:00.008Z',
    ])
  })

  test('percentiles are bounds of one histogram, of all instances and both versions together', async () => {
    const route = 'GET /measured'
    const count = (bucket: number, times: number) => {
      for (let i = 0; i < times; i++) world.service.recorder.countUsage(route, undefined, 200, bucket)
    }
    count(0, 60)
    await world.service.recorder.flush()
    // Added to the existing row, as another instance would.
    count(0, 30)
    count(5, 8)
    count(latency.latencyBoundsMs.length, 2)
    count(-1, 3)
    await world.service.recorder.flush()
    // A version that does not measure durations.
    await world.service.deps.db.execute(sql`
      insert into usage_minutes (minute, project_id, route, status, count)
      values (date_trunc('minute', clock_now() - interval '5 minutes'),
        '00000000-0000-0000-0000-000000000000', ${route}, 503, 7)`)
    expect(await rowOf(route)).toMatchObject({
      ...{ count: 110, measured: 100, serverErrors: 7, clientErrors: 0 },
      ...{ p50Ms: 1, p95Ms: 50, p99Ms: null },
      took: [90, 0, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 2],
    })
    const ended = await call(
      ...([world.url, 'GET', '/api/admin/monitoring/latency?from=2026-01-02&to=2026-01-01', admin] as const),
    )
    expect([ended.status, ended.body.code]).toEqual([400, 'VALIDATION_FAILED'])
  })

  test('every queue of the contract is told, with how much waits and for how long', async () => {
    const { id } = await givenProject(world)
    const ask = async () => {
      const { data } = (await call(world.url, 'GET', '/api/admin/monitoring/queues', admin)).body
      return new Map<string, { waiting: number; oldestSec: number }>(
        data.map((queue: { name: string }) => [queue.name, queue]),
      )
    }
    const before = await ask()
    expect([...before.keys()].sort()).toEqual(Object.keys(queues.queueMeanings).sort())
    await world.service.deps.db.execute(sql`
      insert into deliveries (kind, project_id, type, data, queued_at)
      values ('notice', ${id}, 'key.revoked', '{}', clock_now() - interval '10 minutes')`)
    const after = await ask()
    expect(after.get('notifications')?.waiting).toBe((before.get('notifications')?.waiting ?? 0) + 1)
    expect(after.get('notifications')?.oldestSec).toBeGreaterThanOrEqual(600)
    expect(after.get('member_syncs')).toMatchObject({ waiting: 0, oldestSec: 0 })
  })
})
