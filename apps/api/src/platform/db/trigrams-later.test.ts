import { readFileSync } from 'node:fs'
import pg from 'pg'
import { expect, test } from 'vitest'
import { createDatabase } from '../../../test/databases.ts'

const guide = readFileSync(new URL('../../../../../docs/guides/postgresql.md', import.meta.url), 'utf8')

/** Returns the statements of the guide. `concurrently` needs a query of its own for each. */
const statements = () =>
  (/## Search by name[\s\S]*?```sql\n([\s\S]*?)```/.exec(guide)?.[1] ?? '')
    .split(';')
    .filter((text) => text.trim())

test('the guide adds the extension to a database that was created without it', async () => {
  const database = await createDatabase('postgres')
  const client = new pg.Client(database.url)
  await client.connect()
  const indexes = async () =>
    (
      await client.query<{ definition: string }>(
        `select indexdef as definition from pg_indexes
        where schemaname = 'public' and tablename in ('members', 'memberships') order by indexname`,
      )
    ).rows
  try {
    const before = await indexes()
    await client.query('drop extension pg_trgm cascade')
    await client.query(
      'create index memberships_roles on memberships using gin (role_ids) where left_at is null',
    )
    expect(await indexes()).not.toEqual(before)
    for (const statement of statements()) await client.query(statement)
    expect(await indexes()).toEqual(before)
  } finally {
    await client.end()
    await database.drop()
  }
})
