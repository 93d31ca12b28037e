import { type ChatSim, demo, findUser } from '@rolecall/chat-sim'
import { vi } from 'vitest'
import { openHandover } from '../src/mirror/gateway/handover.ts'
import { createLiveMirror } from '../src/mirror/gateway/live-mirror.ts'
import type { LiveMirror } from '../src/mirror/gateway/status.ts'
import { sql } from '../src/platform/db/sql.ts'
import { madeForTests } from './made-for-tests.ts'
import type { Service, World } from './service.ts'

/** Short intervals and timeouts, for tests. */
export const quick = {
  mirror: { checkEveryMs: 200, renewEveryMs: 200, sampleEveryMs: 3_600_000 },
  gateway: {
    heartbeatEveryMs: 200,
    silentAfterMs: 400,
    deadAfterMs: 1_200,
    readyTimeoutMs: 2_500,
    firstPauseMs: 100,
    maxPauseMs: 500,
    refusedPauseMs: 300,
    resumeTimeoutMs: 1_000,
    identifyEveryMs: 0,
    minSessionMs: 0,
    maxIdentifyPauseMs: 0,
  },
}

type Timing = Parameters<typeof createLiveMirror>[1] & {}

/** Keeps the mirror of a service live, until it is closed. */
export function startLiveMirror(service: Service, timing: Timing = {}): LiveMirror {
  const mirror = createLiveMirror(service.deps, {
    mirror: { ...quick.mirror, ...timing.mirror },
    gateway: { ...quick.gateway, ...timing.gateway },
    handoverKey: service.deps.config.outboundKey,
  })
  mirror.start()
  return mirror
}

/** Keeps the mirror of a world live from before the tests of this block until after them. */
export const liveMirrorForTests = (world: World): LiveMirror =>
  madeForTests(
    async () => {
      const mirror = startLiveMirror(world.service)
      await untilLive(world)
      return mirror
    },
    (mirror) => mirror.close(),
  )

const patience = { timeout: 15_000, interval: 20 }

/** Waits until a check returns true. */
export const until = (what: string, check: () => boolean | Promise<boolean>, timeoutMs = patience.timeout) =>
  vi.waitFor(
    async () => {
      if (!(await check())) throw new Error(`not yet: ${what}`)
    },
    { ...patience, timeout: timeoutMs },
  )

/** Returns true if the gateway vouches for a server in the database, which every instance reads. */
export async function isLive({ service }: Pick<World, 'service'>, serverId: string = demo.mainGuildId) {
  const row = await service.deps.db.maybeOne<{ live: boolean }>(
    sql`select coalesce(live_until > clock_now(), false) as live from servers where id = ${serverId}`,
  )
  return row?.live ?? false
}

export const untilLive = (world: Pick<World, 'service'>, serverId?: string) =>
  until('the server is live', () => isLive(world, serverId))

/** Waits until the stored state says that the server was read completely, which the next leader uses. */
export const untilHandedOver = ({ service }: Pick<World, 'service'>, serverId: string = demo.mainGuildId) =>
  until('a complete server is handed over', async () => {
    const { db, config } = service.deps
    const row = await db.maybeOne<{ handover: Uint8Array | null }>(sql`select handover from live_mirror`)
    const left = row?.handover && config.outboundKey && openHandover(config.outboundKey, row.handover)
    return left ? left.servers.some(([id, isComplete]) => id === serverId && isComplete) : false
  })

export const untilNotLive = (world: Pick<World, 'service'>, serverId?: string) =>
  until('the server is not live', async () => !(await isLive(world, serverId)))

/** Removes a member on the platform without an event. */
export function leaveUnheard({ sim }: Pick<World, 'sim'>, serverId: string, memberId: string) {
  sim.gateway.loseDispatches(1)
  sim.world.removeMember(serverId, memberId)
}

/** Ends the gateway session without resume, so that the service reads everything again. */
export async function beginAnew(world: Pick<World, 'service' | 'sim'>) {
  world.sim.gateway.invalidSession(false)
  await untilNotLive(world)
}

interface Picture {
  readonly name: string
  readonly roles: readonly string[]
  readonly members: Readonly<Record<string, string>>
}

/** Returns the state of a server on the platform. */
function truthOf(sim: ChatSim, serverId: string): Picture {
  const guild = sim.world.guilds.get(serverId)
  if (!guild) throw new Error(`no guild ${serverId}`)
  const members: Record<string, string> = {}
  for (const member of guild.members.page('0', 1_000_000)) {
    const user = findUser(sim.world, member.user_id)
    const roles = member.roles.filter((id) => guild.roles.has(id)).sort()
    members[member.user_id] = [user?.username, user?.global_name, member.nick, ...roles].join(' | ')
  }
  const roles = [...guild.roles.values()]
    .filter(({ id }) => id !== serverId)
    .map(({ id, name, color, position }) => `${id} ${name} ${color} ${position}`)
  return { name: guild.name, roles: roles.sort(), members }
}

/** Returns the state of a server in the mirror. */
async function mirrorOf({ service }: Pick<World, 'service'>, serverId: string): Promise<Picture> {
  const { db } = service.deps
  const server = await db.maybeOne<{ name: string }>(sql`select name from servers where id = ${serverId}`)
  const roles = await db.query<{ text: string }>(sql`
    select id || ' ' || name || ' ' || color || ' ' || position as text from roles where server_id = ${serverId}`)
  const rows = await db.query<{ id: string; text: string }>(sql`
    select m.member_id as id,
      array_to_string(array[u.username, coalesce(u.global_name, ''), coalesce(m.nick, '')]
        || array(select r.id::text from roles r where r.server_id = m.server_id and r.id = any(m.role_ids) order by 1), ' | ') as text
    from memberships m join members u on u.id = m.member_id
    where m.server_id = ${serverId} and m.left_at is null`)
  return {
    name: server?.name ?? '',
    roles: roles.map(({ text }) => text).sort(),
    members: Object.fromEntries(rows.map(({ id, text }) => [id, text])),
  }
}

/** Returns the first difference between the mirror and the platform, or undefined. */
async function difference(world: Pick<World, 'service' | 'sim'>, serverId: string = demo.mainGuildId) {
  const [truth, mirror] = [truthOf(world.sim, serverId), await mirrorOf(world, serverId)]
  if (truth.name !== mirror.name) return `name: ${mirror.name} instead of ${truth.name}`
  if (truth.roles.join() !== mirror.roles.join()) return `roles: ${mirror.roles} instead of ${truth.roles}`
  for (const id of new Set([...Object.keys(truth.members), ...Object.keys(mirror.members)])) {
    if (truth.members[id] !== mirror.members[id]) {
      return `member ${id}: ${mirror.members[id] ?? 'none'} instead of ${truth.members[id] ?? 'none'}`
    }
  }
  return undefined
}

export const untilTrue = (world: Pick<World, 'service' | 'sim'>, serverId?: string, timeoutMs?: number) =>
  vi.waitFor(
    async () => {
      const found = await difference(world, serverId)
      if (found) throw new Error(found)
    },
    { ...patience, timeout: timeoutMs ?? patience.timeout },
  )

/** Returns the audit entries about a member's membership. */
export async function memberEntries({ service }: Pick<World, 'service'>, memberId: string) {
  const rows = await service.deps.db.query<{ action: string }>(
    sql`select action from audit_log where action_type = 'member' and target_id = ${memberId} order by seq`,
  )
  return rows.map(({ action }) => action)
}
