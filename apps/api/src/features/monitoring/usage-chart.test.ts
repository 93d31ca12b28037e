import { beforeAll, describe, expect, test } from 'vitest'
import { call } from '../../../test/client.ts'
import { ciEngines } from '../../../test/databases.ts'
import { givenProject } from '../../../test/given.ts'
import { adminForTests, worldForTests } from '../../../test/world-for-tests.ts'
import { sql } from '../../platform/db/sql.ts'

const day = { from: '2026-03-01T00:00:00.000Z', to: '2026-03-01T23:59:59.999Z' }
const token200 = 'POST /api/auth/token'
const validated = 'POST /api/auth/validate'

describe.each(ciEngines)('usage for charts on %s', (engine) => {
  const world = worldForTests(engine, { PERMISSION_TTL_MS: '3600000' })
  let project: string
  const admin = adminForTests(world)
  beforeAll(async () => {
    project = (await givenProject(world, { name: 'Wiki' })).id
    const nobody = '00000000-0000-0000-0000-000000000000'
    await world.service.deps.db.execute(sql`
      insert into usage_minutes (minute, project_id, route, status, count) values
        ('2026-03-01T00:00Z', ${project}, ${validated}, 200, 10),
        ('2026-03-01T00:59Z', ${project}, ${validated}, 401, 2),
        ('2026-03-01T01:00Z', ${project}, ${validated}, 200, 30),
        ('2026-03-01T01:30Z', ${project}, ${token200}, 200, 4),
        ('2026-03-01T02:00Z', ${nobody}, 'GET /api/health', 200, 5),
        ('2026-03-02T00:00Z', ${project}, ${validated}, 200, 99)`)
  })

  const chart = (query: Record<string, string>) =>
    call(world.url, 'GET', `/api/admin/monitoring/usage?${new URLSearchParams({ ...day, ...query })}`, admin)
  const at = (hour: number) => new Date(Date.UTC(2026, 2, 1, hour)).toISOString()

  test('sums by bucket, within the period, over all routes', async () => {
    const { body } = await chart({ bucket: '1h' })
    expect(body).toEqual({
      bucket: '1h',
      ...day,
      series: [
        {
          key: 'all',
          name: 'All requests',
          count: 51,
          points: [
            { at: at(0), count: 12 },
            { at: at(1), count: 34 },
            { at: at(2), count: 5 },
          ],
        },
      ],
    })
  })

  test('has a line for each project, route or status, the busiest first, with names for people', async () => {
    const lines = async (groupBy: string, more = {}) =>
      (await chart({ bucket: '1d', groupBy, ...more })).body.series.map(
        ({ key, name, count }: Record<string, unknown>) => [key, name, count],
      )
    expect(await lines('project')).toEqual([
      [project, 'Wiki', 46],
      ['none', 'No project', 5],
    ])
    expect(await lines('route')).toEqual([
      [validated, validated, 42],
      ['GET /api/health', 'GET /api/health', 5],
      [token200, token200, 4],
    ])
    expect(await lines('status', { projectId: project })).toEqual([
      ['200', '200', 44],
      ['401', '401', 2],
    ])
    expect(await lines('route', { route: `${token200},${validated}`, status: '2xx' })).toEqual([
      [validated, validated, 40],
      [token200, token200, 4],
    ])
  })

  test('answers 500 points at most: lines without room are one, and a period without room is refused with what fits', async () => {
    await world.service.deps.db.execute(sql`
      insert into usage_minutes (minute, project_id, route, status, count)
      select timestamptz '2026-03-01T00:00Z' + n * interval '1 minute', ${project}, 'GET /' || chr(97 + r), 200, 1 + r
      from generate_series(0, 1439) n, generate_series(0, 25) r`)
    const { body } = await chart({ bucket: '15m', groupBy: 'route' })
    const points = body.series.flatMap((line: { points: unknown[] }) => line.points)
    expect(points.length).toBeLessThanOrEqual(500)
    expect(body.series.at(-1)).toMatchObject({ key: null, name: 'Others' })
    const total = (series: { count: number }[]) => series.reduce((sum, { count }) => sum + count, 0)
    expect(total(body.series)).toBe(total((await chart({ bucket: '15m' })).body.series))
    const refused = await chart({ bucket: '1m' })
    expect(refused.body.errors).toEqual([
      {
        path: '/bucket',
        code: 'RANGE',
        message: expect.stringContaining('5m is the shortest bucket that fits'),
      },
    ])
  })

  test('takes the last day where no period is given, and refuses what it does not know', async () => {
    const plain = (query: string) => call(world.url, 'GET', `/api/admin/monitoring/usage?${query}`, admin)
    const { body } = await plain('bucket=1h')
    expect(Date.parse(body.to) - Date.parse(body.from)).toBeGreaterThanOrEqual(86_400_000)
    for (const query of ['bucket=1w', 'bucket=1h&groupBy=minute', 'status=200'])
      expect((await plain(query)).status).toBe(400)
  })
})
