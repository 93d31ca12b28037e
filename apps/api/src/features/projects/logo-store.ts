import type { Queryable, Tx } from '#platform/db/database'
import { sql } from '#platform/db/sql'

export interface Logo {
  readonly type: string
  readonly bytes: Uint8Array
  /** SHA-256 of the bytes, in base64url. */
  readonly digest: string
}

export const findLogo = (db: Queryable, projectId: string) =>
  db.maybeOne<Logo>(sql`
    select media_type as type, bytes, digest from project_logos where project_id = ${projectId}`)

/** Returns which logo a project has, without its bytes. */
export const findLogoDigest = (db: Queryable, projectId: string) =>
  db.maybeOne<Pick<Logo, 'type' | 'digest'>>(sql`
    select media_type as type, digest from project_logos where project_id = ${projectId}`)

export const storeLogo = (tx: Tx, projectId: string, { type, bytes, digest }: Logo) =>
  tx.execute(sql`
    insert into project_logos (project_id, media_type, bytes, digest)
    values (${projectId}, ${type}, ${bytes}, ${digest})
    on conflict (project_id) do update set media_type = excluded.media_type, bytes = excluded.bytes,
      digest = excluded.digest`)

export const deleteLogo = (tx: Tx, projectId: string) =>
  tx.execute(sql`delete from project_logos where project_id = ${projectId}`)
