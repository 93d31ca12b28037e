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
 * Rehearses the change itself and compares what stands before and after it. A change decides where sessions are good, for
 * a project in a server, and never for one session: so the places that are lost say which sessions end, and these are
 * counted when the rehearsal is over and its few locks are gone.
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

/** The end of the audit log would be locked, for an entry that is taken back. */
const noAudit: ChangeDeps['audit'] = { record: async () => {} }
/** A server that is removed has no live session whether or not their rows say so; nobody's row is locked. */
const noEnds: ChangeDeps['endSessions'] = { ofMembers: async () => [], ofServer: async () => 0 }

/** What stands, of OpenID Connect and of protected hosts, too. */
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
  // A client that only lacks its secret is not told. The address of after the change is the one that is posted to.
  const hears = new Set(before.addressed.filter((id) => after.addressed.includes(id)))
  return {
    places: ended(before.places, after.places),
    clientPlaces: ended(before.clientPlaces, after.clientPlaces),
    toldPlaces: ended(before.clients, after.clients).filter(({ projectId }) => hears.has(projectId)),
    hosts: missing(before.hosts, after.hosts),
    keyIds: missing(before.keyIds, after.keyIds),
    webhookIds: missing(before.webhookIds, after.webhookIds),
  }
}

const nameOf = ({ projectId, serverId }: Place) => `${projectId}/${serverId}`
