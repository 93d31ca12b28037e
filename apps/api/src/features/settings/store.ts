import type { Database, Queryable, Tx } from '#platform/db/database'
import { sql } from '#platform/db/sql'
import type { StoredSettings } from '../../deps.ts'

/** Reads the stored settings. Uses the connections for batched reads, so that a busy pool does not delay a change. */
export async function readStored(db: Pick<Database, 'batched'>): Promise<StoredSettings> {
  const [row] = await db.batched<Omit<StoredSettings, 'overrides'> & { overrides: unknown }>(sql`
    select version, overrides, iso(updated_at) as "updatedAt", updated_by as "updatedBy" from settings`)
  if (!row) throw new Error('The settings have no row.')
  return { ...row, overrides: overridesIn(row.overrides) }
}

/**
 * Returns the overrides in the stored column, by path. The column can contain any JSON after a manual edit. Each value
 * is checked where it is used.
 */
const overridesIn = (stored: unknown): StoredSettings['overrides'] =>
  typeof stored === 'object' && stored !== null && !Array.isArray(stored)
    ? (stored as StoredSettings['overrides'])
    : {}

/** Returns the overrides, and locks them until the transaction ends, so that changes run one after another. */
export async function lockOverrides(tx: Tx): Promise<StoredSettings['overrides']> {
  const row = await tx.maybeOne<{ overrides: unknown }>(sql`select overrides from settings for update`)
  if (!row) throw new Error('The settings have no row.')
  return overridesIn(row.overrides)
}

/**
 * Removes an erased member as the author of the last change. Increments the version, so that every instance reads
 * the row again.
 */
export const eraseWriter = (tx: Tx, memberId: string) =>
  tx.execute(sql`
    update settings set version = version + 1, updated_by = null where updated_by = ${memberId}`)

/** Replaces the overrides, and increments the version. Returns the stored settings. */
export async function writeOverrides(
  tx: Tx,
  overrides: StoredSettings['overrides'],
  updatedBy: string | null,
) {
  const row = await tx.maybeOne<StoredSettings>(sql`
    update settings set version = version + 1, overrides = ${JSON.stringify(overrides)}::jsonb,
      updated_at = clock_now(), updated_by = ${updatedBy}
    returning version, overrides, iso(updated_at) as "updatedAt", updated_by as "updatedBy"`)
  return row as StoredSettings
}

/** The last change of a setting. The author is null if they were erased. */
interface LastChange {
  readonly path: string
  readonly changedAt: Date
  readonly changedBy: string | null
}

/** Lists the last change of each setting, from the audit log. */
export const listLastChanges = (db: Queryable, targetId: string) =>
  db.query<LastChange>(sql`
    select distinct on (c.path) c.path, l.at as "changedAt", l.actor_username as "changedBy"
    from audit_log l cross join lateral json_object_keys(l.changes) c (path)
    where l.target_id = ${targetId} and l.target_type = 'settings' and json_typeof(l.changes) = 'object'
    order by c.path, l.at desc, l.seq desc`)
