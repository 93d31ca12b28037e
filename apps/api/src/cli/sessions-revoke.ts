import { recordAudit } from '#audit/record'
import { schemaState } from '#platform/db/migrate'
import { createLog } from '#platform/log'
import { createAnswers } from '#session-memory/answers'
import { endEverything } from '../features/sessions/end-everything.ts'
import { StartRefused } from '../process/start-refused.ts'
import { withDatabase } from './with-database.ts'

const grouped = (count: number) => count.toLocaleString('en')

/** Ends all sessions, and prints their number. Requires `--all`, so that a mistake does not sign everyone out. */
export async function sessionsRevokeCommand({ all }: { all?: boolean }): Promise<void> {
  if (!all) throw new StartRefused('Add --all to end all sessions. Nothing was ended.')
  const ended = await withDatabase(async (db) => {
    if ((await schemaState(db)).pending.length > 0) {
      throw new StartRefused('The database is not up to date. Run `rolecall migrate` first.')
    }
    const ended = await endEverything({ db, audit: { record: recordAudit } })
    // Waits until running instances have applied the change, before the command reports success.
    await createAnswers({ db, log: createLog('error'), maxBytes: 0, configuredServerId: undefined }).confirm()
    return ended
  })
  console.log(
    [
      `ended  ${grouped(ended.sessions)} sessions of projects and administrators`,
      `ended  ${grouped(ended.ssoSessions)} single sign-on sessions of browsers`,
      `ended  ${grouped(ended.codes)} unused codes`,
      `ended  ${grouped(ended.requests)} sign-ins in progress`,
    ].join('\n'),
  )
}
