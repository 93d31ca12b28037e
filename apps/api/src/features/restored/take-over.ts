import { type Queryable, sqlState, type Tx } from '#platform/db/database'
import type { Deps } from '../../deps.ts'
import { noteFirst, noteOther, readIdentity } from './store.ts'

const lacksRights = '42501'

/**
 * Detects that the tables were restored from a dump of another database, which had other transaction IDs. Then every
 * owner of such IDs corrects them, in one transaction, before the first request is served. Logs the remaining steps for
 * the operator. No instance can know this database from before: no instance holds a lease in it, and nothing that a
 * reader cached from the other one is valid here.
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

export const restoredAdvice =
  'database restored from a backup: sessions and API keys that were revoked after the backup are valid again. End all sessions with `rolecall sessions revoke --all`, and revoke those keys again'

/** Used if the operator ended the sessions before the start, as the guide describes, so that this is not repeated. */
export const endedAdvice =
  'database restored from a backup: all its sessions have ended, but API keys that were revoked after the backup are valid again. Revoke them again'

/** Returns undefined if the role lacks the permission, as at some database hosts. */
async function identityOf(db: Deps['db']): Promise<string | undefined> {
  try {
    return (await readIdentity(db))?.identity
  } catch (error) {
    if (sqlState(error) !== lacksRights) throw error
    return undefined
  }
}
