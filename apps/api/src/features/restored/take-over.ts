import { type Queryable, sqlState, type Tx } from '#platform/db/database'
import type { Deps } from '../../deps.ts'
import { noteFirst, noteOther, readIdentity } from './store.ts'

const lacksRights = '42501'

/**
 * Notices that the tables were restored from a dump of another database, where transactions had other ids, and lets
 * every owner of such ids put them right, in one transaction, before anything is answered. Says what is left to do. No instance can know this
 * database from before: nobody holds a lease in it, and nothing that a reader keeps of the other one is true here.
 */
export async function takeOverRestored(
  { db, log }: Pick<Deps, 'db'> & { readonly log: { warn(line: string): void } },
  owners: readonly ((tx: Tx) => Promise<unknown>)[],
  letsAnyoneIn: (db: Queryable) => Promise<boolean>,
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
  if (isRestored) log.warn((await letsAnyoneIn(db)) ? restoredAdvice : endedAdvice)
}

export const restoredAdvice =
  'the database was restored from a backup: sessions and API keys that were revoked since the backup are good again; end all sessions with `rolecall sessions revoke --all`, and revoke those keys again'

/** Whoever ended the sessions before the start, as the guide says, is not told to do it once more. */
export const endedAdvice =
  'the database was restored from a backup: all its sessions have ended; API keys that were revoked since the backup are good again: revoke them again'

/** Undefined where the role may not ask, as some who host databases have it. */
async function identityOf(db: Deps['db']): Promise<string | undefined> {
  try {
    return (await readIdentity(db))?.identity
  } catch (error) {
    if (sqlState(error) !== lacksRights) throw error
    return undefined
  }
}
