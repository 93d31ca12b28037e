import type { Queryable, Tx } from '#platform/db/database'
import { sql } from '#platform/db/sql'

/** A signing key as it is stored. */
export interface KeyRow {
  /** The key ID that tokens and the published key set name. */
  readonly kid: string
  /** The encrypted private key. */
  readonly sealed: Uint8Array
  /** True if the key may sign, because it has been published for long enough. */
  readonly maySign: boolean
  readonly ageSec: number
}

/** Lists the signing keys, newest first. A key is listed until another key has been signing for `keptSec`. */
export const listKeys = (db: Queryable, keptSec: number) =>
  db.query<KeyRow>(sql`
    select k.kid, k.sealed, k.signs_from <= clock_now() as "maySign",
      extract(epoch from clock_now() - k.created_at)::float8 as "ageSec"
    from oidc_signing_keys k
    where not exists (
      select from oidc_signing_keys n
      where n.signs_from > k.signs_from and n.signs_from < clock_now() - ${keptSec}::int * interval '1 second')
    order by k.signs_from desc, k.kid`)

/**
 * Stores a key, unless another one was stored less than `minNewestAgeSec` ago. So if several instances create a key at
 * the same time, only the first one is stored. The key begins to sign after `leadSec` seconds.
 */
export const insertKey = async (
  tx: Tx,
  key: { kid: string; sealed: Uint8Array; leadSec: number; minNewestAgeSec: number },
): Promise<void> => {
  await tx.execute(sql`lock table oidc_signing_keys in share row exclusive mode`)
  await tx.execute(sql`
    insert into oidc_signing_keys (kid, sealed, signs_from)
    select ${key.kid}, ${key.sealed}, clock_now() + ${key.leadSec}::int * interval '1 second'
    where not exists (
      select from oidc_signing_keys where created_at > clock_now() - ${key.minNewestAgeSec}::int * interval '1 second')`)
}
