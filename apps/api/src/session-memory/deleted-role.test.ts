import { demo } from '@rolecall/chat-sim'
import { beforeAll, describe, expect, test } from 'vitest'
import { removeRole } from '#mirror/write-servers'
import { digestOf, mintToken } from '#platform/crypto/tokens'
import { sql } from '#platform/db/sql'
import { call } from '../../test/client.ts'
import { engines } from '../../test/databases.ts'
import { type GivenProject, givenAdmin, givenProject, givenSession, validate } from '../../test/given.ts'
import { worldForTests } from '../../test/world-for-tests.ts'

const club = demo.mainGuildId
const { ada, joon } = demo.users
const { crew, captain } = demo.roles

describe.each(engines)('a deleted role that its holders’ rows still name, on %s', (engine) => {
  const world = worldForTests(engine, { PERMISSION_TTL_MS: '3600000', TRUST_PROXY: '127.0.0.1,::1' })
  let urls: string[]
  let project: GivenProject
  let admin: string
  beforeAll(async () => {
    // The other instance has cached everything, too, and learns of the deletion by the change log alone.
    urls = [world.url, ...(engine === 'postgres' ? [(await world.another()).url] : [])]
    project = await givenProject(world, { isInternal: true })
    admin = await givenAdmin(world)
  })

  const onEach = <T>(ask: (url: string) => Promise<T>): Promise<T[]> => Promise.all(urls.map(ask))
  /** Deletes the role alone, and returns the number of members whose rows still name it. */
  const deleteRole = async (roleId: string) => {
    const { db } = world.service.deps
    await db.transaction((tx) => removeRole(tx, club, roleId))
    const rows = await db.query(sql`select from memberships where role_ids @> array[${roleId}]::text[]`)
    return rows.length
  }

  /** Turns a session of Ada into one of a protected host, and returns its cookie. */
  const givenHostSession = async () => {
    const { token } = await givenSession(world, project, ada)
    const hostToken = mintToken('hostSession')
    await world.service.deps.db.execute(sql`
      update sessions set token_digest = ${digestOf(hostToken)} where token_digest = ${digestOf(token)}`)
    return `__Host-rolecall=${hostToken}`
  }

  test('is in no answer, and opens no protected host, on any instance', async () => {
    const host = 'crew.example.org'
    const body = { forwardAuth: { hosts: [host], anyOf: [crew, captain] } }
    await call(world.url, 'PATCH', `/api/admin/projects/${project.id}`, { token: admin, body })
    world.sim.world.setRoles(club, ada, [crew])
    const { token } = await givenSession(world, project, ada)
    const cookie = await givenHostSession()
    const answers = () =>
      onEach(async (url) => {
        const { body } = await validate({ url }, project, token)
        const visited = await call(url, 'GET', '/api/forward-auth', { headers: visit(host, cookie) })
        return [body.roles.map(({ roleId }: { roleId: string }) => roleId), visited.status]
      })
    for (const answer of await answers()) expect(answer).toEqual([[crew], 200])
    expect(await deleteRole(crew)).toBeGreaterThan(0)
    for (const answer of await answers()) expect(answer).toEqual([[], 403])
  })

  test('makes no owner of a project', async () => {
    const body = { owners: { roleIds: [captain] } }
    await call(world.url, 'PATCH', `/api/admin/projects/${project.id}`, { token: admin, body })
    world.sim.world.setRoles(club, joon, [demo.adminRoleId])
    const token = await givenAdmin(world, joon)
    await world.service.deps.db.execute(sql`
      update memberships set role_ids = ${[captain]}::text[] where server_id = ${club} and member_id = ${joon}`)
    const statuses = () =>
      onEach(async (url) => (await call(url, 'GET', `/api/admin/projects/${project.id}`, { token })).status)
    for (const status of await statuses()) expect(status).toBe(200)
    expect(await deleteRole(captain)).toBeGreaterThan(0)
    for (const status of await statuses()) expect(status).toBe(403)
  })

  test('makes no System Admin', async () => {
    const statuses = () =>
      onEach(async (url) => (await call(url, 'GET', '/api/admin/profile', { token: admin })).status)
    for (const status of await statuses()) expect(status).toBe(200)
    expect(await deleteRole(demo.adminRoleId)).toBeGreaterThan(0)
    for (const status of await statuses()) expect(status).toBe(403)
  })
})

const visit = (host: string, cookie: string) => ({
  'x-forwarded-proto': 'https',
  'x-forwarded-host': host,
  'x-forwarded-uri': '/',
  'x-forwarded-method': 'GET',
  cookie,
})
