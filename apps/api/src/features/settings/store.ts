import type { Database, Tx } from '#platform/db/database'
import { sql } from '#platform/db/sql'
import type { StoredSettings } from './settings.ts'

/** The stored row. On the connections of gathered reads, so that a busy pool does not delay a change. */
export async function readStored(db: Pick<Database, 'gathered'>): Promise<StoredSettings> {
  const [row = []] = await db.gathered(
    sql`select version, overrides, iso(updated_at), updated_by from settings`,
  )
  const [version, overrides, updatedAt, updatedBy] = row as [number, unknown, string | null, string | null]
  return { version, overrides: overridesIn(overrides), updatedAt, updatedBy }
}

/** By path, whatever somebody wrote into the column: values are held against their bounds where they are used. */
const overridesIn = (stored: unknown): StoredSettings['overrides'] =>
  typeof stored === 'object' && stored !== null && !Array.isArray(stored)
    ? (stored as StoredSettings['overrides'])
    : {}

/** The overrides, locked until the transaction ends: two changes at once take turns. */
export async function lockOverrides(tx: Tx): Promise<StoredSettings['overrides']> {
  const row = await tx.maybeOne<{ overrides: unknown }>(sql`select overrides from settings for update`)
  if (!row) throw new Error('The settings have lost their row.')
  return overridesIn(row.overrides)
}

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
