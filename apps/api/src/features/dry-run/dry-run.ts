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
 * Creates the function that makes a dry run of a change: it makes the change in a transaction, compares the state
 * before and after, and rolls back.
 *
 * A change decides in which places sessions are valid, and a place is a project in a server. It never decides about a
 * single session. So the sessions that the change would end are those in the lost places. They are counted after the
 * rollback, which has released the locks.
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

/**
 * Writes no audit entry. It would be rolled back, and until then would lock the end of the audit log for all others.
 */
const noAudit: ChangeDeps['audit'] = { record: async () => {} }
/** Ends no sessions, so that no rows are locked. The lost places are enough to know which sessions would end. */
const noEnds: ChangeDeps['endSessions'] = {
  ofMembers: async () => [],
  ofServer: async () => 0,
  ofOtherHosts: async () => 0,
}

/** Reads the state within a reach, including that of OpenID Connect and of protected hosts. */
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

/** Returns what exists before a change and no longer after it. */
function difference(before: All, after: All) {
  const missing = (ids: readonly string[], left: readonly string[]) => ids.filter((id) => !left.includes(id))
  const ended = <P extends Place>(places: readonly P[], left: readonly P[]) => {
    const kept = new Set(left.map(nameOf))
    return places.filter((place) => !kept.has(nameOf(place)))
  }
  // A client is notified if its place is lost and it still has a logout address after the change. It is not notified if
  // it only loses its secret.
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
