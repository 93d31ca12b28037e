import type { Queryable, Tx } from '#platform/db/database'
import { sql } from '#platform/db/sql'

/** The logo of a project. */
export interface Logo {
  readonly type: string
  readonly bytes: Uint8Array
  /** The SHA-256 hash of the bytes, in base64url. */
  readonly digest: string
}

export const findLogo = (db: Queryable, projectId: string) =>
  db.maybeOne<Logo>(sql`
    select media_type as type, bytes, digest from project_logos where project_id = ${projectId}`)

/** Returns the type and the hash of a project's logo, or undefined if it has none. */
export const findLogoDigest = (db: Queryable, projectId: string) =>
  db.maybeOne<Pick<Logo, 'type' | 'digest'>>(sql`
    select media_type as type, digest from project_logos where project_id = ${projectId}`)

/** Stores a logo, or replaces the project's logo. */
export const storeLogo = (tx: Tx, projectId: string, { type, bytes, digest }: Logo) =>
  tx.execute(sql`
    insert into project_logos (project_id, media_type, bytes, digest)
    values (${projectId}, ${type}, ${bytes}, ${digest})
    on conflict (project_id) do update set media_type = excluded.media_type, bytes = excluded.bytes,
      digest = excluded.digest`)

export const deleteLogo = (tx: Tx, projectId: string) =>
  tx.execute(sql`delete from project_logos where project_id = ${projectId}`)
