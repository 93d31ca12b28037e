import type { ChatEvent } from '#chat/chat-gateway'
import type { ChatServerInfo } from '#chat/chat-platform'
import type { Tx } from '#platform/db/database'
import {
  deleteRole,
  listUnknownRoles,
  noteAbsence,
  noteRolesChange,
  type ServerMember,
  setAvailable,
  upsertMembers,
  upsertMemberships,
  upsertRole,
} from './members-store.ts'

/** What other features know how to write, in the transaction of the batch. */
export interface MirrorWrites {
  /** Name, icon and all roles of a server. */
  readonly writeServer: (tx: Tx, server: ChatServerInfo) => Promise<void>
  /** Ends a membership with its sessions and its audit entry; nothing when it is over already. */
  readonly endMembership: (tx: Tx, serverId: string, userId: string, isBan: boolean) => Promise<void>
}

/**
 * Writes events in their order. Events of members that follow each other go in one statement. Answers the servers
 * where somebody now holds a role that is not known.
 */
export async function writeEvents(
  tx: Tx,
  writes: MirrorWrites,
  events: readonly ChatEvent[],
): Promise<string[]> {
  let members = new Map<string, ServerMember>()
  const flush = async () => {
    if (members.size === 0) return
    const rows = [...members.values()]
    members = new Map()
    // One profile for each person, the last that was told.
    const users = new Map(rows.map(({ member }) => [member.user.id, member.user]))
    await upsertMembers(tx, [...users.values()])
    await upsertMemberships(tx, rows)
  }
  for (const event of events) {
    if (event.kind === 'memberChanged') {
      const { serverId, member } = event
      const key = `${serverId}/${member.user.id}`
      // Last of all, so that the newest profile of someone in two servers wins.
      members.delete(key)
      members.set(key, { serverId, member })
      continue
    }
    await flush()
    await writeOther(tx, writes, event)
  }
  await flush()
  const held = events.filter((event) => event.kind === 'memberChanged')
  return held.length === 0 ? [] : listUnknownRoles(tx, held)
}

async function writeOther(
  tx: Tx,
  { writeServer, endMembership }: MirrorWrites,
  event: Exclude<ChatEvent, { kind: 'memberChanged' }>,
): Promise<void> {
  const { serverId } = event
  switch (event.kind) {
    case 'serverAvailable':
    case 'serverUpdated':
      await writeServer(tx, event.server)
      await setAvailable(tx, serverId, true)
      return
    case 'serverUnavailable':
    case 'serverLost':
      await setAvailable(tx, serverId, false)
      return
    case 'roleChanged':
      await noteRolesChange(tx, serverId)
      await upsertRole(tx, serverId, event.role)
      return
    case 'roleRemoved':
      await noteRolesChange(tx, serverId)
      await deleteRole(tx, serverId, event.roleId)
      return
    case 'memberBanned':
      await endMembership(tx, serverId, event.user.id, true)
      return
    case 'memberRemoved':
      await endMembership(tx, serverId, event.user.id, false)
      await upsertMembers(tx, [event.user])
      await noteAbsence(tx, serverId, event.user.id)
  }
}
