import { randomUUID } from 'node:crypto'
import { digestOf, digestOfTokenless, mintToken } from '@rolecall/api/platform/crypto/tokens'
import type { Database, Queryable } from '@rolecall/api/platform/db/database'
import { sql } from '@rolecall/api/platform/db/sql'
import { inBatches } from './copies.ts'
import { redirectUri, type Seeded } from './seed.ts'

/** Makes a project a client of OpenID Connect. The client authenticates with the project's API key. */
export const makeClient = (db: Queryable, projectId: string) =>
  db.execute(sql`
    insert into oidc_clients (project_id, enabled, is_public, post_logout_redirect_uris, device_flow, roles_in_id_token)
    values (${projectId}, true, false, '{}', false, false)`)

/** Returns the header with which that client authenticates. */
export const asClient = ({ projectId, apiKey }: Pick<Seeded, 'projectId' | 'apiKey'>): string =>
  `Basic ${Buffer.from(`${projectId}:${apiKey}`).toString('base64')}`

/** The kinds of records, with the format of their credential, and the fields in which they differ. */
const kinds = {
  AccessToken: { token: 'accessToken', fields: { gty: 'authorization_code' } },
  AuthorizationCode: { token: 'clientCode', fields: { redirectUri, nonce: 'a-nonce' } },
  RefreshToken: {
    token: 'clientRefresh',
    fields: { gty: 'authorization_code', nonce: 'a-nonce', rotations: 0 },
  },
} as const

interface Granted {
  readonly model: keyof typeof kinds
  readonly scope: string
  readonly count: number
  readonly memberIds: readonly string[]
}

/**
 * Creates sessions like sign-ins by OpenID Connect do. Each has a code or a token that is valid longer than any run.
 */
export async function grantRecords(
  db: Database,
  { projectId, tokens: [like = ''] }: Pick<Seeded, 'projectId' | 'tokens'>,
  { model, scope, count, memberIds }: Granted,
): Promise<string[]> {
  const { token: kind, fields } = kinds[model]
  const values: string[] = []
  const iat = Math.floor(Date.now() / 1_000)
  await inBatches(db, count, async (size, first) => {
    const made = Array.from({ length: size }, (_, i) => {
      const [id, value] = [randomUUID(), mintToken(kind)]
      const memberId = memberIds[(first + i) % memberIds.length]
      values.push(value)
      return {
        ...{ id, token_digest: digestOfTokenless(id), refresh_digest: digestOf(`refresh ${id}`) },
        member_id: memberId,
        digest: digestOf(`${model} ${value}`),
        payload: JSON.stringify({
          ...{ iat, exp: iat + 86_400, accountId: memberId, clientId: projectId, grantId: id },
          ...{ kind: model, scope, sid: id, ...fields },
        }),
      }
    })
    return sql`
      with given as materialized (select k from jsonb_array_elements(${JSON.stringify(made)}::jsonb) k),
      opened as (
        insert into sessions select r.* from sessions t, given, lateral jsonb_populate_record(t, given.k) r
        where t.token_digest = ${digestOf(like)} returning id),
      granted as (
        insert into oidc_sessions (session_id, project_id, scope) select id, ${projectId}, ${scope} from opened)
      insert into oidc_records (digest, model, session_id, payload, expires_at)
      select k ->> 'digest', ${model}, (k ->> 'id')::uuid, k ->> 'payload', clock_now() + interval '1 day' from given`
  })
  return values
}
