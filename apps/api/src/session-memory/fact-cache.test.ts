import { beforeEach, describe, expect, test } from 'vitest'
import { roleNamesOnly } from '#responses/groups'
import type { Role } from '#responses/roles'
import type { Change } from './change.ts'
import type { LogSnapshot } from './change-log-store.ts'
import { FactCache } from './fact-cache.ts'
import { readUncached } from './facts-of-rows.ts'
import type { FactRows, Item, SessionRow } from './facts-store.ts'

const serverId = '1100089314336833537'
const crew: Role = { id: '1100093797636898817', name: 'Crew', color: 0, position: 1 }
const captain: Role = { id: '1100093797636898818', name: 'Captain "Salt"', color: 255, position: 2 }
const item = (n: number): Item => ({ keyDigest: 'the key', tokenDigest: `token ${n}` })
const row = (n: number, more: Partial<SessionRow> = {}): SessionRow => ({
  id: `session ${n}`,
  projectId: 'the project',
  serverId,
  memberId: `member ${n}`,
  sessionJson: `"session":{"id":"${n}"}`,
  expiresAtMs: 100_000,
  username: 'ada',
  profileJson: `"id":"${n}"`,
  isClubMember: true,
  nick: null,
  roleIds: [crew.id, captain.id, 'a role that is gone'],
  syncedAtMs: 1_000,
  decidesAdmin: false,
  groups: roleNamesOnly,
  liveAsOfMs: null,
  liveUntilMs: null,
  ...more,
})
const rows = (...sessions: SessionRow[]): FactRows => ({
  nowMs: 5_000,
  items: sessions.map((session) => ({
    projectId: 'the project',
    isActive: true,
    keyEndsAtMs: undefined,
    session,
  })),
  roles: new Map([[serverId, [captain, crew]]]),
})
const found = (changes: readonly Change[] = [], more: Partial<LogSnapshot> = {}): LogSnapshot => ({
  snapshot: '10:10:',
  server: 'the server',
  nowMs: 5_000,
  settingsVersion: 0,
  isRenewed: false,
  live: new Map(),
  holders: [],
  changes,
  ...more,
})

describe('what is kept in memory', () => {
  let memory: FactCache
  beforeEach(() => {
    memory = new FactCache(1_000_000)
    memory.applySnapshot(found(), 0)
  })
  const load = (...ns: number[]) => {
    const loading = memory.beginLoading()
    const reads = memory.store(ns.map(item), rows(...ns.map((n) => row(n))), loading)
    memory.endLoading(loading)
    return reads
  }
  const changed = (...changes: Change[]) => memory.applySnapshot(found(changes), 0)
  const rolesIn = (n: number) =>
    JSON.parse(memory.findSession(`token ${n}`)?.toJson(null, 'rest') ?? '{}').roles?.map(
      ({ roleName }: { roleName: string }) => roleName,
    )

  test('is put together as an answer, roles highest first, and without those that do not exist', () => {
    load(1)
    const answer = JSON.parse(memory.findSession('token 1')?.toJson(2_000, 'gateway') ?? '')
    expect(answer).toMatchObject({
      member: { id: '1', isClubMember: true, displayName: null, syncedAt: '1970-01-01T00:00:01.000Z' },
      roles: [
        { roleId: captain.id, roleName: 'Captain "Salt"', roleColor: 255, rolePosition: 2 },
        { roleId: crew.id, roleName: 'Crew', roleColor: null, rolePosition: 1 },
      ],
      session: { id: '1' },
      rolesAsOf: '1970-01-01T00:00:02.000Z',
      rolesSource: 'gateway',
    })
  })

  const voids: Record<string, Change> = {
    session: { kind: 'session', tokenDigest: 'token 1' },
    membership: { kind: 'membership', id: `${serverId}/member 1` },
    member: { kind: 'member', memberId: 'member 1' },
    project: { kind: 'project', projectId: 'the project' },
    access: { kind: 'access', id: `the project/${serverId}` },
    server: { kind: 'server', serverId: 'another server' },
    unknown: { kind: 'unknown' },
  }
  test.each(Object.keys(voids))('a change of its %s makes a session void, kept or on its way', (kind) => {
    const change = voids[kind] as Change
    load(1)
    expect(memory.findSession('token 1')).toBeDefined()
    changed(change)
    expect(memory.findSession('token 1')).toBeUndefined()

    const loading = memory.beginLoading()
    changed(change)
    memory.store([item(1)], rows(row(1)), loading)
    expect(memory.findSession('token 1')).toBeUndefined()
  })

  test('a void session does not take along what others have in its place', () => {
    const sharing = (n: number) => row(n, { memberId: 'member 1' })
    load(1)
    changed(voids['member'] as Change)
    memory.store([item(2)], rows(sharing(2)), memory.beginLoading())
    expect(memory.findSession('token 1')).toBeUndefined()
    changed(voids['member'] as Change)
    expect(memory.findSession('token 2')).toBeUndefined()
  })

  test('a key goes with its own change and with its project', () => {
    for (const change of [{ kind: 'key', keyDigest: 'the key' }, voids['project']] as Change[]) {
      load(1)
      expect(memory.findKeyProject('the key', 5_000)).toBe('the project')
      changed(change)
      expect(memory.findKeyProject('the key', 5_000)).toBeUndefined()
    }
  })

  test('a key with an end is none from then on, without a change', () => {
    const found = rows(row(1))
    const items = found.items.map((one) => ({ ...one, keyEndsAtMs: 6_000 }))
    memory.store([item(1)], { ...found, items }, memory.beginLoading())
    expect(memory.findKeyProject('the key', 5_999)).toBe('the project')
    expect(memory.findKeyProject('the key', 6_000)).toBeUndefined()
  })

  test('a change of one member, session or server leaves the others', () => {
    load(1, 2)
    changed(voids['session'] as Change, voids['member'] as Change, {
      kind: 'roles',
      serverId: 'x',
      roles: [],
    })
    expect(memory.findSession('token 2')).toBeDefined()
    expect(memory.findKeyProject('the key', 5_000)).toBe('the project')
  })

  test('a renamed role is in the next answer of everybody, and nothing is read again', () => {
    load(1, 2)
    expect(rolesIn(1)).toEqual(['Captain "Salt"', 'Crew'])
    changed({ kind: 'roles', serverId, roles: [captain, { ...crew, name: 'Deckhand' }] })
    expect([rolesIn(1), rolesIn(2)]).toEqual([
      ['Captain "Salt"', 'Deckhand'],
      ['Captain "Salt"', 'Deckhand'],
    ])
  })

  test('roles on their way do not take the place of younger ones', () => {
    const loading = memory.beginLoading()
    changed({ kind: 'roles', serverId, roles: [captain] })
    memory.store([item(1)], rows(row(1)), loading)
    expect(rolesIn(1)).toEqual(['Captain "Salt"'])
  })

  test('forgetting takes what is kept and what is on its way', () => {
    load(1)
    const loading = memory.beginLoading()
    memory.clear()
    expect(memory.findSession('token 1')).toBeUndefined()
    expect(memory.findKeyProject('the key', 5_000)).toBeUndefined()
    expect(loading.wasCleared).toBe(true)
    expect([memory.size, memory.bytes]).toEqual([0, 0])
  })

  test('what lacks roles that were forgotten meanwhile is not kept', () => {
    load(1)
    const loading = memory.beginLoading()
    expect(loading.knownServers).toEqual([serverId])
    changed(voids['server'] as Change)
    expect(memory.store([item(2)], { ...rows(row(2)), roles: new Map() }, loading)).toBeUndefined()
  })

  test('is bounded in bytes; what was used stays, what was not goes first', () => {
    memory = new FactCache(100_000)
    memory.applySnapshot(found(), 0)
    load(0)
    for (let n = 1; n < 500; n++) {
      load(n)
      expect(memory.findSession('token 0')).toBeDefined()
      expect(memory.bytes).toBeLessThanOrEqual(100_000)
    }
    expect(memory.size).toBeGreaterThan(20)
    expect(memory.findSession('token 1')).toBeUndefined()
    expect(memory.findSession('token 499')).toBeDefined()
  })

  test('the database’s clock is never behind: it goes on from before the read was sent, and from the end of its millisecond', () => {
    memory.applySnapshot(found([], { nowMs: 50_000 }), 1_000)
    expect(memory.nowMs(1_000)).toBe(50_001)
    expect(memory.nowMs(1_250)).toBe(50_251)
  })

  test('the gateway vouches as long as the last read says', () => {
    load(1)
    const session = memory.findSession('token 1')
    memory.applySnapshot(found([], { live: new Map([[serverId, { asOfMs: 4_000, untilMs: 9_000 }]]) }), 0)
    expect([session?.liveAsOfMs(8_999), session?.liveAsOfMs(9_000)]).toEqual([4_000, null])
    memory.applySnapshot(found(), 0)
    expect(session?.liveAsOfMs(5_000)).toBeNull()
  })

  test('a read without a lease is correct, and is not cached', () => {
    const [read] = readUncached([item(1)], rows(row(1)))
    expect(JSON.parse(read?.session?.toJson(null, 'rest') ?? '').roles).toHaveLength(2)
    expect(memory.findSession('token 1')).toBeUndefined()
  })
})
