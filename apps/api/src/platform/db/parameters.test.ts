import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { databaseForTests } from '../../../test/database-for-tests.ts'
import { engines } from '../../../test/databases.ts'
import { repeats } from '../../../test/repeats.ts'
import type { Database } from './database.ts'
import { openDatabase } from './open-database.ts'
import { type Sql, sql } from './sql.ts'

/** Every way into a database that takes parameters. */
const ways: Record<string, (db: Database, statement: Sql) => Promise<unknown[]>> = {
  query: (db, statement) => db.query(statement),
  'a transaction': (db, statement) => db.transaction((tx) => tx.query(statement)),
  'a batch': (db, statement) => db.batched(statement),
  'a stream': async (db, statement) => {
    const rows: unknown[] = []
    for await (const page of db.stream(statement, 10)) rows.push(...page)
    return rows
  },
}

const backslash = '\\'
const hostile = fc.constantFrom(
  ...[
    backslash,
    `${backslash}${backslash}`,
    `${backslash}"`,
    "'",
    '"',
    '$1',
    '{',
    '}',
    ',',
    'NULL',
    '\n',
    '\r',
  ],
  ...['\\x41', '\\101', '\\u0041', '\u2028', '\u202e', '\uFEFF', '😀', 'é', 'a', ' ', '%', ';', '--', '/*'],
)
const texts = fc.array(hostile, { maxLength: 40 }).map((parts) => parts.join(''))
const bytes = fc.oneof(
  fc.uint8Array({ maxLength: 80 }),
  texts.map((one) => new Uint8Array(Buffer.from(one))),
)
const times = fc.date({ min: new Date('1970-01-01'), max: new Date('2100-01-01'), noInvalidDate: true })
const json = fc.dictionary(texts, fc.oneof(texts, fc.integer(), fc.boolean(), fc.constant(null)))
const orNull = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: null })

/** Lists types, values to send as each, and the value to read back. */
const rows: [type: string, values: fc.Arbitrary<unknown>, readBack: (value: never) => unknown][] = [
  ['text', orNull(texts), (one) => one],
  ['text[]', fc.array(orNull(texts), { maxLength: 8 }), (one) => one],
  ['bytea', orNull(bytes), (one: Uint8Array | null) => one && Buffer.from(one).toString('hex')],
  ['bool', orNull(fc.boolean()), (one) => one],
  ['int4', orNull(fc.integer()), (one) => one],
  ['int8', orNull(fc.maxSafeInteger()), (one) => one],
  ['float8', fc.double({ noNaN: true }), (one) => one],
  ['int4[]', fc.array(orNull(fc.integer()), { maxLength: 8 }), (one) => one],
  ['uuid', orNull(fc.uuid()), (one) => one],
  ['uuid[]', fc.array(fc.uuid(), { maxLength: 8 }), (one) => one],
  ['int4[]', fc.constant('{1,NULL,3}'), () => [1, null, 3]],
  ['xid8', fc.constantFrom('0', '4294967296'), (one) => one],
  ['timestamptz', orNull(times), (one: Date | null) => one?.toISOString() ?? null],
  ['jsonb', json, (one) => one],
  ['jsonb', texts.map((one) => JSON.stringify(one)), (one: string) => JSON.parse(one)],
]

describe.each(engines)('parameters, on %s', (engine) => {
  const db = databaseForTests(engine)

  describe.each(Object.entries(ways))('of %s', (_, run) => {
    test.each(rows)('%s is read back as it was sent', async (type, values, readBack) => {
      const column = type === 'bytea' ? `encode($1::bytea, 'hex')` : `$1::${type}`
      // JSON of PostgreSQL has an order of its own, and one zero.
      const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))
      await fc.assert(
        fc.asyncProperty(values, async (value) => {
          const [row] = (await run(db, { text: `select ${column} as value`, values: [value] })) as [
            { value: unknown },
          ]
          expect(plain(row.value)).toEqual(plain(readBack(value as never)))
        }),
        { numRuns: repeats(40) },
      )
    })

    test('bytes that are cut up again are each piece of what was put together', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(texts, { minLength: 1, maxLength: 6 }), async (pieces) => {
          const lengths = pieces.map((one) => Buffer.byteLength(one))
          const starts = lengths.map((_, i) => lengths.slice(0, i).reduce((sum, length) => sum + length, 1))
          const found = await run(
            db,
            sql`
              select convert_from(substring(${Buffer.from(pieces.join(''))}::bytea from f.start for f.length), 'UTF8') as piece
              from unnest(${starts}::int[], ${lengths}::int[]) with ordinality as f (start, length, n) order by f.n`,
          )
          expect(found).toEqual(pieces.map((piece) => ({ piece })))
        }),
        { numRuns: repeats(40) },
      )
    })

    test('text with NUL is refused with the code of PostgreSQL, and the connection goes on', async () => {
      const refused = run(db, sql`select ${'a\0b'}::text as value`)
      await expect(refused).rejects.toMatchObject({ code: '22021' })
      expect(await run(db, sql`select ${'a'}::text as value`)).toEqual([{ value: 'a' }])
    })
  })
})

describe('parameters of the embedded engine', () => {
  let db: Database
  beforeAll(async () => {
    db = await openDatabase('pglite::memory:')
  })
  afterAll(() => db.close())

  describe.each(Object.entries(ways))('of %s', (_, run) => {
    test.each([
      ['a type that is not in the table', sql`select ${'(1,2)'}::point as value`, /type 600 have no encoder/],
      [
        'text as bytes',
        sql`select ${'\\x41'}::bytea as value`,
        /A string is not a parameter of the type bytea/,
      ],
      ['an object as text', sql`select ${{ toString: () => 'x' }}::text as value`, /An? Object .* type text/],
      ['a number as text', sql`select ${5}::text as value`, /A number .* type text/],
      ['one text as many', sql`select ${'{a,b}'}::text[] as value`, /A string .* type text\[\]/],
      ['a list as JSON', sql`select ${[1]}::jsonb as value`, /An? Array .* type jsonb/],
      ['a word as truth', sql`select ${'true'}::bool as value`, /A string .* type bool/],
    ])('%s is refused, and the next statement runs', async (__, statement, message) => {
      await expect(run(db, statement)).rejects.toThrow(message)
      expect(await run(db, sql`select ${1}::int as value`)).toEqual([{ value: 1 }])
    })
  })
})
