import { randomUUID } from 'node:crypto'
import { digestOf, mintToken } from '@rolecall/api/platform/crypto/tokens'
import type { Database } from '@rolecall/api/platform/db/database'
import { type Sql, sql } from '@rolecall/api/platform/db/sql'

/**
 * The number of rows per statement. This file copies rows that the service has created, because a measurement needs
 * more sessions and codes than sign-ins could create in the time. A copy differs from the original only in its
 * identity.
 */
const batch = 5_000

export interface Pair {
  readonly token: string
  readonly refreshToken: string
}

/** Creates copies of the session of `token`, for the members in turn. */
export async function copySessions(
  db: Database,
  token: string,
  count: number,
  members: readonly string[],
  kind: 'session' | 'hostSession' = 'session',
): Promise<Pair[]> {
  const pairs: Pair[] = []
  await inBatches(db, count, async (size, first) => {
    const made = Array.from({ length: size }, () => ({
      token: mintToken(kind),
      refreshToken: mintToken('refresh'),
    }))
    pairs.push(...made)
    const keys = made.map((pair, i) => ({
      id: randomUUID(),
      token_digest: digestOf(pair.token),
      refresh_digest: digestOf(pair.refreshToken),
      member_id: members[(first + i) % members.length],
    }))
    return sql`
      insert into sessions select r.* from sessions t, jsonb_array_elements(${JSON.stringify(keys)}::jsonb) k,
        lateral jsonb_populate_record(t, k) r
      where t.token_digest = ${digestOf(token)}`
  })
  return pairs
}

/** Creates copies of a one-time code, for the members in turn. They are valid for an hour, longer than any run. */
export async function copyCodes(
  db: Database,
  code: string,
  count: number,
  members: readonly string[],
): Promise<string[]> {
  const codes: string[] = []
  const inAnHour = new Date(Date.now() + 3_600_000).toISOString()
  await inBatches(db, count, async (size, first) => {
    const made = Array.from({ length: size }, () => mintToken('code'))
    codes.push(...made)
    const keys = made.map((one, i) => ({
      digest: digestOf(one),
      expires_at: inAnHour,
      member_id: members[(first + i) % members.length],
    }))
    return sql`
      insert into authorization_codes select r.* from authorization_codes t,
        jsonb_array_elements(${JSON.stringify(keys)}::jsonb) k, lateral jsonb_populate_record(t, k) r
      where t.digest = ${digestOf(code)}`
  })
  return codes
}

/**
 * Adds members `first` to `first + count` to a server, each with a name, sometimes a nickname, and one to three roles.
 */
export async function addMembers(db: Database, serverId: string, roleIds: readonly string[], count: number) {
  const step = 50_000
  for (let from = 1; from <= count; from += step) {
    await db.transaction(
      (tx) =>
        tx.script(`
          insert into members (id, username, global_name, is_club_member, is_current)
            select ${memberIdOf}, substr(md5(i::text), 1, 4)
              || (array['amber', 'birch', 'cedar', 'coral', 'delta'])[1 + i % 5] || i, 'Person ' || i, true, true
            from generate_series(${from}, ${Math.min(count, from + step - 1)}::bigint) i;
          insert into memberships (server_id, member_id, role_ids, joined_at, search_text)
            select '${serverId}', ${memberIdOf},
              (array[${roleIds.map((id) => `'${id}'`).join(', ')}])[1 + i % 3 : 1 + i % 3 + i % 2], now(),
              (select search_text from members where id = ${memberIdOf})
            from generate_series(${from}, ${Math.min(count, from + step - 1)}::bigint) i`),
      { long: true },
    )
    told(Math.min(count, from + step - 1), count, 'members')
  }
  return Array.from({ length: count }, (_, i) => String(firstMemberId + BigInt(i + 1) * 1_234_567n))
}

/** Runs the maintenance that PostgreSQL would start by itself a minute later, during the measurement. */
export const settle = (db: Database) => db.script('vacuum analyze')

const firstMemberId = 200_000_000_000_000_000n
const memberIdOf = `(${firstMemberId} + i * 1234567)::text`

/** Runs a statement for `count` rows in batches. Throws if a batch does not create all of its rows. */
export async function inBatches(
  db: Database,
  count: number,
  statement: (size: number, first: number) => Promise<Sql>,
) {
  for (let first = 0; first < count; first += batch) {
    const size = Math.min(batch, count - first)
    const copy = await statement(size, first)
    const copied = await db.transaction((tx) => tx.execute(copy), { long: true })
    if (copied !== size)
      throw new Error(`${copied} of ${size} rows were copied, because the original does not exist.`)
    if ((first + size) % 100_000 === 0) told(first + size, count, 'rows')
  }
}

const told = (done: number, count: number, what: string) =>
  console.log(`  ${done.toLocaleString('en')} of ${count.toLocaleString('en')} ${what}`)
