import { memberField, storedFields } from '@rolecall/contract'
import { describe, expect, test } from 'vitest'
import { engines } from '../../test/databases.ts'
import { worldForTests } from '../../test/world-for-tests.ts'
import { sql } from '../platform/db/sql.ts'

/** Columns of `members` that are not fields, with the reason. */
const noFields = { id: 'identifies the row', search_text: 'derived from the names' }

describe.each(engines)('the table of member fields, on %s', (engine) => {
  const world = worldForTests(engine)

  test('names every text column of members', async () => {
    const rows = await world.service.deps.db.query<{ name: string }>(sql`
      select column_name::text as name from information_schema.columns
      where table_schema = 'public' and table_name = 'members' and data_type = 'text'`)
    const described = storedFields.map((name) => memberField(name).column)
    expect(rows.map(({ name }) => name).toSorted()).toEqual(
      [...described, ...Object.keys(noFields)].toSorted(),
    )
  })
})
