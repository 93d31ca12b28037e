import { type Queryable, sqlState, type Tx } from '#platform/db/database'
import type { Deps } from '../../deps.ts'
import { noteFirst, noteOther, readIdentity } from './store.ts'

/** The SQL state of PostgreSQL for a missing permission. */
const lacksRights = '42501'

/**
 * Checks at the start of the service, before the first request, whether the database was restored from a dump of
 * another one. The dump contains transaction IDs of the other database, which mean nothing here. So each of `owners`,
 * the modules that store such IDs, corrects its rows, all in one transaction. Then logs what the operator still has to
 * do.
 *
 * Does nothing if the database role may not read the identity of the cluster.
 */
export async function takeOverRestored(
  { db, log }: Pick<Deps, 'db'> & { readonly log: { warn(line: string): void } },
  owners: readonly ((tx: Tx) => Promise<unknown>)[],
  hasActiveSignIns: (db: Queryable) => Promise<boolean>,
): Promise<void> {
  const identity = await identityOf(db)
  if (identity === undefined) return
  const isRestored = await db.transaction(
    async (tx) => {
      await noteFirst(tx, identity)
      if ((await noteOther(tx, identity)) === 0) return false
      for (const putRight of owners) await putRight(tx)
      return true
    },
    { long: true },
  )
  if (isRestored) log.warn((await hasActiveSignIns(db)) ? restoredAdvice : endedAdvice)
}

/** The advice if sessions from the backup may still be valid. */
export const restoredAdvice =
  'database restored from a backup: sessions and API keys that were revoked after the backup are valid again. End all sessions with `rolecall sessions revoke --all`, and revoke those keys again'

/** The advice if the operator has already ended all sessions, as the guide says. */
export const endedAdvice =
  'database restored from a backup: all its sessions have ended, but API keys that were revoked after the backup are valid again. Revoke them again'

/**
 * Returns the identity of the database, or undefined if the database role may not read it, as with some hosting
 * services.
 */
async function identityOf(db: Deps['db']): Promise<string | undefined> {
  try {
    return (await readIdentity(db))?.identity
  } catch (error) {
    if (sqlState(error) !== lacksRights) throw error
    return undefined
  }
}
