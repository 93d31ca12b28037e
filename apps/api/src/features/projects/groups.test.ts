import { demo } from '@rolecall/chat-sim'
import { formats } from '@rolecall/contract'
import fc from 'fast-check'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Administration, givenAdministration } from '../../../test/administration.ts'
import { call } from '../../../test/client.ts'
import { ciEngines } from '../../../test/databases.ts'
import { openEvents } from '../../../test/event-reader.ts'
import {
  atPlatform,
  Browser,
  type GivenProject,
  givenSession,
  redirectUri,
  validate,
} from '../../../test/given.ts'
import { claimsOf, clientUri, givenClient, introspect, logIn, userinfo } from '../../../test/oidc.ts'
import { repeats } from '../../../test/repeats.ts'
import type { Service } from '../../../test/service.ts'
import { hostileText } from '../../../test/stored/hostile-text.ts'
import { worldForTests } from '../../../test/world-for-tests.ts'

const { mara } = demo.users
/** The roles of Mara, highest first. */
const { steward, crew, portWatch } = demo.roles
const own = ['Steward', 'Crew', 'Port watch']
const unknownRole = '1100099999999999999'

describe.each(ciEngines)('groups by project, on %s', (engine) => {
  let instances: Service[]
  let admin: Administration
  let project: GivenProject
  let host: string
  let cookie: string
  let sessionToken: string
  let accessToken: string
  let hosts = 0
  const world = worldForTests(engine, {
    ...{ TRUST_PROXY: '127.0.0.1,::1', RATE_LIMIT_GLOBAL: '0', PERMISSION_TTL_MS: '3600000' },
  })
  beforeAll(async () => {
    instances = [world.service]
    if (engine === 'postgres') instances.push(await world.another())
    admin = await givenAdministration(world)
  })
  beforeEach(async () => {
    hosts += 1
    host = `groups-${hosts}.example.org`
    project = await givenClient(world, { redirectUris: [clientUri, redirectUri] })
    await change({ forwardAuth: { hosts: [host] } })
    sessionToken = (await givenSession(world, project, mara)).token
    accessToken = (await logIn(world, project, { as: mara })).access_token
    cookie = await logInAtHost()
  })

  const change = async (body: object) => {
    const reply = await admin.projects('PATCH', `/${project.id}`, body)
    expect(reply.status, reply.text).toBe(200)
    return reply.body
  }
  const forwarded = () => ({ 'x-forwarded-proto': 'https', 'x-forwarded-host': host })

  async function logInAtHost() {
    const [onHost, onService] = [new Browser(world.url), new Browser(world.url)]
    const pathOf = ({ headers }: { headers: Headers }) => {
      const { pathname, search } = new URL(headers.get('location') ?? '', world.url)
      return pathname + search
    }
    const authorize = await onService.get(pathOf(await onHost.get('/_rolecall/start?rd=/', forwarded())))
    const screen = authorize.headers.get('location') ?? ''
    const end = await onService.get(await atPlatform(screen, { as: mara }))
    await onHost.get(pathOf(end), forwarded())
    return onHost.cookie
  }

  const remoteGroups = async (url: string) => {
    const headers = { ...forwarded(), 'x-forwarded-uri': '/', 'x-forwarded-method': 'GET', cookie }
    const reply = await call(url, 'GET', '/api/forward-auth', { headers })
    expect(reply.status, reply.text).toBe(200)
    expect(reply.headers.get('remote-role-ids')).toBe([steward, crew, portWatch].join(','))
    const text = reply.headers.get('remote-groups') ?? ''
    return text === '' ? [] : text.split(',').map(decodeURIComponent)
  }

  /** Reads the groups of Mara from every exit, on every instance. */
  async function everywhere() {
    const found: Record<string, unknown> = {}
    for (const [at, { url }] of instances.entries()) {
      const session = (await validate({ url }, project, sessionToken)).body
      expect(session.roles.map(({ roleName }: { roleName: string }) => roleName)).toEqual(own)
      const about = (await userinfo({ url }, accessToken)).body
      expect(about.roles).toEqual(own)
      found[`validate ${at}`] = session.groups
      found[`userinfo ${at}`] = about.groups
      found[`introspection ${at}`] = (await introspect({ url }, project, accessToken)).body.groups
      found[`Remote-Groups ${at}`] = await remoteGroups(url)
    }
    return found
  }
  const expectEverywhere = async (groups: readonly string[]) => {
    const found = await everywhere()
    expect(found).toEqual(Object.fromEntries(Object.keys(found).map((exit) => [exit, groups])))
  }

  test('a change is what every exit tells next, on every instance', async () => {
    await expectEverywhere(own)
    const changes: [body: object, groups: string[]][] = [
      [{ groupNames: { [crew]: 'wiki-editors' } }, ['Steward', 'wiki-editors', 'Port watch']],
      // A name that several roles share appears once, at the place of the highest role.
      [{ groupNames: { [crew]: 'a', [portWatch]: 'Steward' } }, ['Steward', 'a']],
      [{ onlyNamedGroups: true }, ['a', 'Steward']],
      [{ groupNames: { [unknownRole]: 'nothing' } }, []],
      [{ groupNames: null }, []],
      [{ groupNames: { [steward]: 'admin, root' } }, ['admin, root']],
      [{ groupNames: null, onlyNamedGroups: false }, own],
    ]
    for (const [body, groups] of changes) {
      await change(body)
      await expectEverywhere(groups)
    }
  }, 60_000)

  test('the ID token contains them where it contains roles, and another project keeps its own', async () => {
    await change({
      groupNames: { [steward]: 'admins' },
      onlyNamedGroups: true,
      oidc: { rolesInIdToken: true },
    })
    const id = claimsOf((await logIn(world, project, { as: mara })).id_token)
    expect([id.groups, id.roles]).toEqual([['admins'], own])
    const other = await givenClient(world)
    expect(
      (await userinfo(world, (await logIn(world, other, { as: mara })).access_token)).body.groups,
    ).toEqual(own)
  })

  test('a project has them from the start, returns them, and records each change once', async () => {
    const given = { groupNames: { [crew]: 'Crew e\u0301' }, onlyNamedGroups: true }
    const created = await admin.create(given)
    const kept = { groupNames: { [crew]: 'Crew \u00e9' }, onlyNamedGroups: true }
    expect(created.project).toMatchObject(kept)
    const { id } = created.project
    const path = `/${id}`
    expect((await admin.projects('GET', path)).body).toMatchObject(kept)
    expect((await admin.projects('PATCH', path, { ...given, onlyNamedGroups: false })).body).toMatchObject({
      groupNames: kept.groupNames,
      onlyNamedGroups: false,
    })
    const dry = await admin.projects('PATCH', `${path}?dryRun=true`, { groupNames: null })
    expect(dry.body).toMatchObject({ dryRun: true, sessionsEnded: 0, membersAffected: 0 })
    expect((await admin.projects('GET', path)).body.groupNames).toEqual(kept.groupNames)
    // The same names in another order do not count as a change.
    const two = { [portWatch]: 'b', [crew]: 'a' }
    await admin.projects('PATCH', path, { groupNames: two })
    await admin.projects('PATCH', path, { groupNames: Object.fromEntries(Object.entries(two).reverse()) })
    const entries = (await admin.audit(id)).filter(({ action }) => action === 'project.update')
    expect(entries.map(({ changes }) => changes)).toEqual([
      { onlyNamedGroups: { before: true, after: false } },
      { groupNames: { before: kept.groupNames, after: two } },
    ])
    const plain = (await admin.create()).project
    expect(plain).toMatchObject({ groupNames: null, onlyNamedGroups: false })
  })

  test('every bad role ID and name is reported by its path, and nothing is stored', async () => {
    const reply = await admin.projects('PATCH', `/${project.id}`, {
      groupNames: { [crew]: 'fine', captain: 'x', [steward]: '', [portWatch]: 'a\nb', '0/~': 5 },
      onlyNamedGroups: 'yes',
    })
    expect([reply.status, reply.body.code]).toEqual([400, 'VALIDATION_FAILED'])
    expect(new Set(reply.body.errors.map(({ path }: { path: string }) => path))).toEqual(
      new Set([
        '/groupNames/captain',
        `/groupNames/${steward}`,
        `/groupNames/${portWatch}`,
        '/groupNames/0~1~0',
        '/onlyNamedGroups',
      ]),
    )
    const tooMany = Object.fromEntries(
      Array.from({ length: 251 }, (_, i) => [String(10n ** 17n + BigInt(i)), 'x']),
    )
    const long = await admin.projects('PATCH', `/${project.id}`, { groupNames: tooMany })
    expect(long.body.errors).toEqual([
      expect.objectContaining({ path: '/groupNames', code: 'MAX_PROPERTIES' }),
    ])
    for (const groupNames of [['x'], 'x', { [crew]: 'x'.repeat(101) }])
      expect((await admin.projects('PATCH', `/${project.id}`, { groupNames })).status).toBe(400)
    expect((await admin.projects('GET', `/${project.id}`)).body.groupNames).toBeNull()
  })

  test('any name is refused, or comes unchanged through claims and headers', async () => {
    await fc.assert(
      fc.asyncProperty(hostileText, async (text) => {
        const name = text.slice(0, 100)
        const body = { groupNames: { [crew]: name }, onlyNamedGroups: true }
        const reply = await admin.projects('PATCH', `/${project.id}`, body)
        if (!formats.name(name) || !name.isWellFormed()) {
          expect(reply.status, JSON.stringify(name)).toBe(400)
          return
        }
        expect(reply.status, reply.text).toBe(200)
        const kept = [name.normalize('NFC')]
        expect((await userinfo(world, accessToken)).body.groups).toEqual(kept)
        expect(await remoteGroups(world.url)).toEqual(kept)
      }),
      { numRuns: repeats(60) },
    )
  }, 120_000)

  test('the stream of events tells the project to clear its cache', async () => {
    const reader = await openEvents(world.url, project)
    await change({ groupNames: { [crew]: 'Editors' } })
    expect((await reader.until('reset')).data).toMatchObject({ reason: 'groups_changed' })
    reader.close()
  })
})
