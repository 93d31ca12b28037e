import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { allOf, type Sql, sql } from './sql.ts'

describe('sql', () => {
  test('every value becomes a parameter, with any content', () => {
    fc.assert(
      fc.property(fc.array(fc.anything(), { minLength: 2, maxLength: 2 }), ([a, b]) => {
        const nested = (one: unknown) => typeof one === 'object' && one !== null && 'text' in one
        fc.pre(!nested(a) && !nested(b))
        expect(sql`select ${a}, ${b}`).toEqual({ text: 'select $1, $2', values: [a, b] })
      }),
    )
  })

  test('a template without splices keeps one text, so that the database keeps its plan', () => {
    const statement = (n: number) => sql`select ${n}`
    expect(statement(1).text).toBe(statement(2).text)
    expect(statement(2).values).toEqual([2])
  })

  test('spliced in at any depth, the nth placeholder names the nth value', () => {
    const leaf = fc.integer().map((n) => sql`${n}`)
    const tree: fc.Memo<Sql> = fc.memo((depth) =>
      depth <= 1
        ? leaf
        : fc.oneof(
            leaf,
            fc.tuple(tree(), fc.integer(), tree()).map(([l, n, r]) => sql`(${l} + ${n} + ${r})`),
            fc.array(tree(), { maxLength: 4 }).map(allOf),
          ),
    )
    fc.assert(
      fc.property(tree(5), ({ text, values }) => {
        const placeholders = [...text.matchAll(/\$(\d+)/g)].map(([, n]) => Number(n))
        expect(placeholders).toEqual(values.map((_, i) => i + 1))
      }),
    )
  })

  test('more than nine values keep their numbers when spliced in', () => {
    const ten = sql`${1} ${2} ${3} ${4} ${5} ${6} ${7} ${8} ${9} ${10}`
    expect(sql`${0} ${ten} ${11}`.text).toBe('$1 $2 $3 $4 $5 $6 $7 $8 $9 $10 $11 $12')
  })

  test('no conditions are true, several are joined with and', () => {
    expect(allOf([]).text).toBe('true')
    expect(allOf([sql`a = ${1}`, sql`b = ${2}`])).toEqual({ text: 'a = $1 and b = $2', values: [1, 2] })
  })
})
