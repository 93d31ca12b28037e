import type { Database, Queryable } from '#platform/db/database'
import { rehearse } from '#platform/db/rehearse'
import type { ChangeDeps, Reach, RunDry } from '../../deps.ts'
import { listAddressed, listClientPlaces, listHosts } from './other-ways-store.ts'
import {
  beginRehearsal,
  countClientSessions,
  countSessions,
  countSubmissions,
  type Place,
  readStanding,
} from './store.ts'

/**
 * Applies the change in a transaction that rolls back, and compares the state before and after it. A change decides
 * where sessions are valid, per project and server, and never for a single session. So the lost places determine which
 * sessions end. They are counted after the rollback, when its few locks are released.
 */
export const createDryRun =
  (db: Database, configuredServerId: string | undefined): RunDry =>
  async (reach, change) => {
    const lost = await rehearse(db, async (rehearsal) => {
      await beginRehearsal(rehearsal)
      const before = await readAll(rehearsal, reach, configuredServerId)
      await change({ db: rehearsal, audit: noAudit, endSessions: noEnds })
      return difference(before, await readAll(rehearsal, reach, configuredServerId))
    })
    const { sessions, members } = await countSessions(db, lost.places)
    return {
      dryRun: true,
      sessionsEnded: sessions,
      membersAffected: members,
      clientSessionsEnded: await countClientSessions(db, lost.clientPlaces),
      clientSessionsTold: await countClientSessions(db, lost.toldPlaces),
      hostsEnded: lost.hosts.length,
      keysEnded: lost.keyIds.length,
      submissionsDeleted: await countSubmissions(db, lost.webhookIds),
    }
  }

/** Skips the audit entry, which would roll back and would lock the end of the audit log until then. */
const noAudit: ChangeDeps['audit'] = { record: async () => {} }
/** Skips ending sessions: a removed server has no live session regardless of the rows, and no row is locked. */
const noEnds: ChangeDeps['endSessions'] = {
  ofMembers: async () => [],
  ofServer: async () => 0,
  ofOtherHosts: async () => 0,
}

/** Reads the state, including OpenID Connect and protected hosts. */
async function readAll(db: Queryable, reach: Reach, configuredServerId: string | undefined) {
  const clients = await listClientPlaces(db, reach, configuredServerId)
  return {
    ...(await readStanding(db, reach)),
    clients,
    clientPlaces: clients.filter(({ isUsable }) => isUsable),
    addressed: await listAddressed(db, reach),
    hosts: await listHosts(db, reach, configuredServerId),
  }
}

type All = Awaited<ReturnType<typeof readAll>>

function difference(before: All, after: All) {
  const missing = (ids: readonly string[], left: readonly string[]) => ids.filter((id) => !left.includes(id))
  const ended = <P extends Place>(places: readonly P[], left: readonly P[]) => {
    const kept = new Set(left.map(nameOf))
    return places.filter((place) => !kept.has(nameOf(place)))
  }
  // A client that only lacks its secret is not notified. The address after the change receives the request.
  const addressed = new Set(before.addressed.filter((id) => after.addressed.includes(id)))
  return {
    places: ended(before.places, after.places),
    clientPlaces: ended(before.clientPlaces, after.clientPlaces),
    toldPlaces: ended(before.clients, after.clients).filter(({ projectId }) => addressed.has(projectId)),
    hosts: missing(before.hosts, after.hosts),
    keyIds: missing(before.keyIds, after.keyIds),
    webhookIds: missing(before.webhookIds, after.webhookIds),
  }
}

const nameOf = ({ projectId, serverId }: Place) => `${projectId}/${serverId}`
