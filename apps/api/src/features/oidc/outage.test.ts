import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { call } from '../../../test/client.ts'
import { Browser, type GivenProject } from '../../../test/given.ts'
import {
  authPath,
  basic,
  givenClient,
  introspect,
  logIn,
  postForm,
  refresh,
  type Tokens,
  userinfo,
  walk,
} from '../../../test/oidc.ts'
import { type PostgresServer, startMigratedPostgres } from '../../../test/postgres.ts'
import { startWorld, type World } from '../../../test/service.ts'
import { sql } from '../../platform/db/sql.ts'

describe('OpenID Connect while a part is away', () => {
  let postgres: PostgresServer
  let world: World
  let project: GivenProject
  let tokens: Tokens
  beforeAll(async () => {
    postgres = await startMigratedPostgres()
    world = await startWorld(
      'postgres',
      { PERMISSION_TTL_MS: '3600000' },
      { url: postgres.url, drop: async () => {} },
    )
    project = await givenClient(world)
    tokens = await logIn(world, project)
  })
  afterAll(async () => {
    await world.close()
    await postgres.stop()
  })

  test('the platform: sessions go on, and a new login says temporarily_unavailable', async () => {
    world.sim.failFor('member', { status: 503 }, 60_000)
    expect((await userinfo(world, tokens.access_token)).status).toBe(200)
    const end = await walk(world, authPath(project))
    expect(end.searchParams.get('error')).toBe('temporarily_unavailable')
    expect(end.searchParams.get('state')).toBe('a-state')
    world.sim.clearFaults()
  })

  test('the database: 503 everywhere, also in the middle of a login, and discovery and keys still answer', async () => {
    const browser = new Browser(world.url)
    const step = new URL((await browser.get(authPath(project))).headers.get('location') ?? '', world.url)
    expect(step.pathname).toMatch(/^\/oidc\/interaction\//)
    const { cookie } = browser
    await postgres.down('kill')
    // Meanwhile other requests try to write. No response here waits until other instances know of it: in an outage,
    // this would take as long as a lease.
    const { answers, db } = world.service.deps
    // Connections outlive a killed server for a moment, and a lease may be as old as its connection.
    await expect.poll(() => answers.isLeased()).toBe(false)
    const waited = vi.spyOn(answers, 'confirm')
    const write = sql`update sessions set member_id = member_id where false`
    const writing = setInterval(() => void db.execute(write).catch(() => {}), 1)
    const page = (path: string) => call(world.url, 'GET', path, { headers: { accept: 'text/html', cookie } })
    const asked = await Promise.all([
      userinfo(world, tokens.access_token),
      introspect(world, project, tokens.access_token),
      refresh(world, project, tokens.refresh_token),
      postForm(world.url, '/oidc/revoke', { token: tokens.access_token }, basic(project)),
      postForm(world.url, '/oidc/par', { scope: 'openid' }, basic(project)),
      page(authPath(project)),
      page(step.pathname),
      postForm(world.url, step.pathname, { decision: 'allow' }, { cookie, origin: world.url }),
      page(`/oidc/session/end?id_token_hint=${tokens.id_token}`),
    ])
    expect(asked.map(({ status }) => status)).toEqual(Array(asked.length).fill(503))
    for (const { headers } of asked) expect(headers.get('retry-after')).toBe('2')
    clearInterval(writing)
    expect(waited).not.toHaveBeenCalled()
    expect((await page('/.well-known/openid-configuration')).body.issuer).toBe(world.url)
    expect((await page('/oidc/jwks')).body.keys).toHaveLength(1)
  })
})
