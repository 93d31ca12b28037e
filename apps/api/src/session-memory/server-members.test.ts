import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { beforeEach, describe, expect, test } from 'vitest'
import type { Role } from '#responses/roles'
import { toRoles } from '#responses/roles'
import { withRoles } from '#responses/server-member'
import type { Change } from './change.ts'
import type { LogSnapshot } from './change-log-store.ts'
import { FactCache } from './fact-cache.ts'
import { maxBytes } from './server-members.ts'
import type { ServerMemberRead, ServerMemberRow } from './server-members-store.ts'

const serverId = '1100089314336833537'
const crew: Role = { id: '1100093797636898817', name: 'Crew', color: 0, position: 1 }
const captain: Role = { id: '1100093797636898818', name: 'Captain', color: 255, position: 2 }
const item = (memberId: string) => ({ serverId, memberId })
const read = (memberId: string, more: Partial<ServerMemberRow> = {}): ServerMemberRead => ({
  member: {
    ...{ memberId, username: memberId, globalName: null, displayName: null, avatar: null, joinedAt: null },
    ...{ roleIds: [crew.id, captain.id, 'deleted'], isCurrent: true, isBlocked: false },
    ...{ syncedAtMs: 1_000, ageMs: 4_000 },
    ...more,
  },
  roles: toRoles([captain, crew]),
  liveAsOfMs: null,
})
const found = (changes: readonly Change[], live: LogSnapshot['live'] = new Map()): LogSnapshot => ({
  ...{ snapshot: '10:10:', server: 'the server', nowMs: 5_000, settingsVersion: 0, isRenewed: false },
  ...{ live, holders: [], changes },
})

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')
/** Returns the memory that is in use after a garbage collection. */
function heapBytes(): number {
  collectGarbage()
  return process.memoryUsage().heapUsed
}

describe('members that projects ask about', () => {
  let memory: FactCache
  beforeEach(() => {
    memory = new FactCache(1_000_000)
    memory.applySnapshot(found([]), 0)
  })
  const load = (memberId: string, more?: Partial<ServerMemberRow>, meanwhile: readonly Change[] = []) => {
    const loading = memory.beginLoading()
    if (meanwhile.length > 0) memory.applySnapshot(found(meanwhile), 0)
    // As `answers.ts` does.
    if (!loading.wasCleared) memory.storeServerMembers([item(memberId)], [read(memberId, more)], loading)
    memory.endLoading(loading)
  }
  const rolesOf = (memberId: string) =>
    memory.findHeldRoles(item(memberId), 5_000)?.held.roles.map(({ roleName }) => roleName)
  const isCached = (memberId: string) => memory.serverMembers.get(item(memberId)) !== undefined

  test('have the roles that exist, highest first, and the JSON of the response', () => {
    load('ada', { displayName: '"A"' })
    expect(rolesOf('ada')).toEqual(['Captain', 'Crew'])
    const profile = memory.serverMembers.get(item('ada'))?.profile ?? ''
    const roles = memory.findHeldRoles(item('ada'), 5_000)?.held.json ?? ''
    expect(JSON.parse(withRoles(profile, roles))).toMatchObject({
      memberId: 'ada',
      displayName: '"A"',
      roles: [{ roleId: captain.id }, { roleId: crew.id }],
    })
  })

  const ends: Record<string, Change> = {
    membership: { kind: 'membership', id: `${serverId}/ada` },
    member: { kind: 'member', memberId: 'ada' },
    server: { kind: 'server', serverId: 'another server' },
    unknown: { kind: 'unknown' },
  }
  test('share the text of their roles with members who have the same ones', () => {
    for (const id of ['ada', 'joon']) load(id)
    load('mara', { roleIds: [captain.id] })
    const held = (memberId: string) => memory.findHeldRoles(item(memberId), 5_000)?.held
    expect(held('joon')).toBe(held('ada'))
    expect(rolesOf('mara')).toEqual(['Captain'])
  })

  test.each(Object.keys(ends))('a change of the %s drops a member, cached or being loaded', (kind) => {
    const change = ends[kind] as Change
    load('ada')
    expect(isCached('ada')).toBe(true)
    memory.applySnapshot(found([change]), 0)
    expect(isCached('ada')).toBe(false)
    expect(memory.serverMembers.bytes).toBe(0)
    load('ada', {}, [change])
    expect(isCached('ada')).toBe(false)
  })

  test('a change of one member leaves the others', () => {
    load('ada')
    load('ben')
    memory.applySnapshot(found([ends['membership'] as Change, ends['member'] as Change]), 0)
    expect([isCached('ada'), isCached('ben')]).toEqual([false, true])
  })

  test('a change of roles is in the next answer, also if it arrives during a load', () => {
    const renamed: Change = { kind: 'roles', serverId, roles: [{ ...captain, name: 'Skipper' }] }
    load('ada')
    expect(rolesOf('ada')).toEqual(['Captain', 'Crew'])
    memory.applySnapshot(found([renamed]), 0)
    expect(rolesOf('ada')).toEqual(['Skipper'])
    load('ben', {}, [renamed])
    expect([rolesOf('ada'), rolesOf('ben')]).toEqual([['Skipper'], ['Skipper']])
  })

  test('former and blocked members are not cached, and replace one that is', () => {
    for (const more of [{ isCurrent: false }, { isBlocked: true }]) {
      load('ada')
      load('ada', more)
      expect([isCached('ada'), memory.serverMembers.bytes]).toEqual([false, 0])
    }
  })

  test('a load that a clear has made void is not for the cache', () => {
    load('ada')
    const loading = memory.beginLoading()
    memory.clear()
    expect([isCached('ada'), loading.wasCleared]).toEqual([false, true])
  })

  test('the gateway vouches for their roles as long as the last read of the log says', () => {
    load('ada')
    const at = (nowMs: number) => memory.findHeldRoles(item('ada'), nowMs)
    expect(at(5_000)).toMatchObject({ isLive: false, ageMs: 4_000, asOfMs: 1_000 })
    memory.applySnapshot(found([], new Map([[serverId, { asOfMs: 4_500, untilMs: 9_000 }]])), 0)
    expect(at(8_999)).toMatchObject({ isLive: true, asOfMs: 4_500 })
    expect(at(9_000)).toMatchObject({ isLive: false, asOfMs: 1_000 })
  })

  test('a read that ends late does not replace a later one', () => {
    load('ada', { syncedAtMs: 2_000, displayName: 'later' })
    load('ada', { syncedAtMs: 1_000, displayName: 'earlier' })
    expect(memory.serverMembers.get(item('ada'))?.profile).toContain('later')
  })

  test('are bounded in bytes, and the oldest of the server with the most members go first', () => {
    const other = '1100089314336833538'
    const add = (id: string, server = serverId) =>
      memory.serverMembers.add({ serverId: server, memberId: id }, read(id))
    add('ada', other)
    let most = 0
    for (let n = 0; n < 100_000; n++) {
      add(String(n))
      most = Math.max(most, memory.serverMembers.bytes)
    }
    expect(most).toBeLessThanOrEqual(maxBytes)
    expect(most).toBeGreaterThan(0.99 * maxBytes)
    expect([isCached('0'), isCached('99999')]).toEqual([false, true])
    expect(memory.serverMembers.get({ serverId: other, memberId: 'ada' })).toBeDefined()
  })

  test('keep neither the address of a request nor old roles in memory', () => {
    const members = memory.serverMembers
    const roles = () =>
      toRoles(
        Array.from({ length: 100 }, (_, i) => ({
          ...crew,
          id: String(1_100_000_000_000_000_000n + BigInt(i)),
        })),
      )
    const before = heapBytes()
    for (let n = 0; n < 500; n++) {
      const id = String(100_000_000_000_000_000n + BigInt(n))
      const memberId = `${id}?${'x'.repeat(15_000)}`.slice(0, id.length)
      members.add({ serverId, memberId }, { ...read(id), roles: roles() })
      memory.findHeldRoles({ serverId, memberId }, 5_000)
    }
    expect(members.bytes).toBeGreaterThan(500 * 500)
    expect(heapBytes() - before).toBeLessThan(3_000_000)
  })
})
