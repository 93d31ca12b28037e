import type { AuditEvent } from '#audit/event'
import type { ChatEvent, EventPosition } from '#chat/chat-gateway'
import type { Tx } from '#platform/db/database'
import { readTime } from '#platform/db/read-time'
import { type Ending, endMemberships } from '../end-memberships.ts'
import type { MirrorDeps } from '../mirror-deps.ts'
import { listUnknownRoles } from '../read-roles.ts'
import { type KnownUser, recordAbsences, type ServerMember, upsertMembers } from '../write-members.ts'
import { writeMemberships } from '../write-memberships.ts'
import { removeRole, setAvailable, writeRole, writeServer } from '../write-servers.ts'
import { recordLastWritten, setLost } from './store.ts'

type WriteDeps = Pick<MirrorDeps, 'audit' | 'endSessions'>

type MemberEvent = Extract<ChatEvent, { kind: 'memberChanged' | 'memberRemoved' | 'memberBanned' }>
type ServerEvent = Exclude<ChatEvent, MemberEvent>

/**
 * Writes events in order. Consecutive changes of members are written together in a few statements, however many they
 * are, and so are consecutive departures. `last` is the last event of each server, and is recorded with them. Returns
 * the servers in which a member now holds an unknown role.
 */
export async function writeEvents(
  tx: Tx,
  deps: WriteDeps,
  events: readonly ChatEvent[],
  last: ReadonlyMap<string, EventPosition>,
): Promise<string[]> {
  let recorded: AuditEvent[] = []
  for (const run of runsOf(events)) {
    if (run.kind === 'changes') recorded = recorded.concat(await writeChanges(tx, deps, run.events))
    else if (run.kind === 'departures')
      recorded = recorded.concat(await writeDepartures(tx, deps, run.events))
    else await writeServerEvent(tx, run.event)
  }
  const held = events.filter((event) => event.kind === 'memberChanged')
  const unknown = held.length === 0 ? [] : await listUnknownRoles(tx, held)
  await recordLastWritten(tx, last)
  // Recorded last, because all other audited changes wait from here until the end of the transaction.
  await deps.audit.record(tx, recorded)
  return unknown
}

type Changed = Extract<ChatEvent, { kind: 'memberChanged' }>
type Departed = Exclude<MemberEvent, Changed>
/** Consecutive events that can be written together. */
type Run =
  | { readonly kind: 'changes'; readonly events: Changed[] }
  | { readonly kind: 'departures'; readonly events: Departed[] }
  | { readonly kind: 'server'; readonly event: ServerEvent }

/** Splits events into the longest runs that can be written together. */
function runsOf(events: readonly ChatEvent[]): Run[] {
  const runs: Run[] = []
  for (const event of events) {
    const last = runs.at(-1)
    if (event.kind === 'memberChanged') {
      if (last?.kind === 'changes') last.events.push(event)
      else runs.push({ kind: 'changes', events: [event] })
    } else if (event.kind === 'memberRemoved' || event.kind === 'memberBanned') {
      if (last?.kind === 'departures') last.events.push(event)
      else runs.push({ kind: 'departures', events: [event] })
    } else runs.push({ kind: 'server', event })
  }
  return runs
}

async function writeChanges(tx: Tx, deps: WriteDeps, events: readonly Changed[]): Promise<AuditEvent[]> {
  const members = new Map<string, ServerMember>()
  for (const { serverId, member } of events) {
    const key = `${serverId}/${member.user.id}`
    // Moves the change to the end, so that the newest profile of a person in two servers is written.
    members.delete(key)
    members.set(key, { serverId, member })
  }
  const rows = [...members.values()]
  const known = rows.map(({ serverId, member }) => ({ user: member.user, serverId }))
  await upsertMembers(tx, newestOf(known), 'now')
  return (await writeMemberships(tx, deps, rows, 'now')).events
}

async function writeDepartures(tx: Tx, deps: WriteDeps, events: readonly Departed[]): Promise<AuditEvent[]> {
  const departures = new Map<string, Ending>()
  for (const { kind, serverId, user } of events) {
    const key = `${serverId}/${user.id}`
    // Discord reports a ban twice: as a ban, and as a departure.
    const isBan = kind === 'memberBanned' || departures.get(key)?.isBan === true
    departures.set(key, { serverId, memberId: user.id, isBan })
  }
  const begunAt = await readTime(tx)
  const recorded = await endMemberships(tx, deps, [...departures.values()], 'now')
  const removed = events.filter(({ kind }) => kind === 'memberRemoved')
  if (removed.length === 0) return recorded
  await upsertMembers(tx, newestOf(removed.map(({ user }) => ({ user }))), 'now')
  const absences = new Map(
    removed.map(({ serverId, user }) => [`${serverId}/${user.id}`, { serverId, memberId: user.id }]),
  )
  await recordAbsences(tx, [...absences.values()], begunAt)
  return recorded
}

/** Returns the last reported profile of each person. */
const newestOf = (known: readonly KnownUser[]) => [
  ...new Map(known.map((one) => [one.user.id, one])).values(),
]

async function writeServerEvent(tx: Tx, event: ServerEvent): Promise<void> {
  const { serverId } = event
  switch (event.kind) {
    case 'serverAvailable':
    case 'serverUpdated':
      await writeServer(tx, event.server, 'now')
      await setAvailable(tx, serverId, true)
      await setLost(tx, serverId, false)
      return
    case 'serverUnavailable':
    case 'serverLost':
      await setAvailable(tx, serverId, false)
      await setLost(tx, serverId, event.kind === 'serverLost')
      return
    case 'roleChanged':
      await writeRole(tx, serverId, event.role)
      return
    case 'roleRemoved':
      await removeRole(tx, serverId, event.roleId)
  }
}
