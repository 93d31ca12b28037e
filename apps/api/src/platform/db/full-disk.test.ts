import { beforeAll, describe, expect, test } from 'vitest'
import { call } from '../../../test/client.ts'
import { engines } from '../../../test/databases.ts'
import { type GivenSession, givenAdmin, givenSession, validate } from '../../../test/given.ts'
import { projectForTests, worldForTests } from '../../../test/world-for-tests.ts'

/** Raises the engine's error of a full disk on every write. */
const fill = `
  create function no_room() returns trigger language plpgsql as $$
    begin raise exception 'could not extend file' using errcode = '53100'; end $$;
  do $$ declare one record; begin
    for one in select tablename from pg_tables where schemaname = current_schema() loop
      execute format('create trigger no_room before insert or update or delete on %I
        for each statement execute function no_room()', one.tablename);
    end loop; end $$;`
const empty = 'drop function no_room() cascade;'

describe.each(engines)('a database whose disk is full, on %s', (engine) => {
  const world = worldForTests(engine)
  const project = projectForTests(world)
  let session: GivenSession
  let admin: string
  beforeAll(async () => {
    session = await givenSession(world, project)
    admin = await givenAdmin(world)
  })

  test('what writes is 503 and says why, what reads goes on, health and metrics name it, and it ends by itself', async () => {
    const { deps, logs } = world.service
    const told = () => logs.lines.flatMap((line) => /"msg":"(database [^",:]*)/.exec(line)?.slice(1) ?? [])
    const health = async () => (await call(world.url, 'GET', '/api/health')).body
    const figure = async () =>
      /^rolecall_database_full (\d)$/m.exec(await (await fetch(`${world.url}/metrics`)).text())?.[1]
    const logout = () =>
      call(world.url, 'POST', '/api/auth/logout', { key: project.key, body: { token: session.token } })

    expect(await figure()).toBe('0')
    await deps.db.script(fill)
    for (const { status, headers, body } of [await logout(), await logout()]) {
      expect([status, headers.get('retry-after')]).toEqual([503, '2'])
      expect(body).toMatchObject({
        code: 'DATABASE_UNAVAILABLE',
        detail: expect.stringContaining('The disk of the database is full. Nothing can be changed.'),
      })
    }
    // Each check follows a write directly, on any busy machine.
    await logout()
    expect(await health()).toMatchObject({ status: 'degraded', database: 'up', reason: 'database full' })
    await logout()
    const ready = await call(world.url, 'GET', '/api/health/ready')
    expect([ready.status, ready.body]).toEqual([200, { status: 'ready', reason: 'database full' }])
    await logout()
    expect(await figure()).toBe('1')
    await logout()
    const detail = await call(world.url, 'GET', '/api/admin/monitoring/health', { token: admin })
    expect(detail.body).toMatchObject({
      status: 'degraded',
      database: { status: 'up', problem: expect.stringContaining('The disk of the database is full') },
    })
    expect((await validate(world, project, session.token)).status).toBe(200)
    expect(told()).toContain('database disk full')

    await deps.db.script(empty)
    expect((await logout()).status).toBeLessThan(300)
    await expect.poll(health, { timeout: 40_000, interval: 500 }).toMatchObject({ status: 'ok' })
    expect(told().at(-1)).toBe('database disk no longer full')
    expect(await figure()).toBe('0')
  }, 90_000)
})
