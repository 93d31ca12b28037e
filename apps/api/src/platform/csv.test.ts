import { buffer } from 'node:stream/consumers'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { csvAnswer } from './csv.ts'

interface Row {
  readonly name: string
  readonly count?: number | null
  readonly isOn?: boolean
  readonly at?: Date
}

const columns = [
  { header: 'name', value: ({ name }: Row) => name },
  { header: 'count', value: ({ count }: Row) => count },
  { header: 'isOn', value: ({ isOn }: Row) => isOn },
  { header: 'at', value: ({ at }: Row) => at },
]

async function* pagesOf(...pages: Row[][]) {
  yield* pages
}

const fileOf = async (...pages: Row[][]) => {
  const { stream } = await csvAnswer({ filename: 'rows', columns, rows: pagesOf(...pages) })
  return stream ? (await buffer(stream)).toString() : ''
}
const rowsOf = (file: string): string[][] => parse(file, { bom: true })
const nameOf = async (name: string) => rowsOf(await fileOf([{ name, count: 1 }]))[1]?.[0]

describe('a CSV download', () => {
  test('starts with a byte order mark and a header row, and ends its lines with CR LF', async () => {
    expect(await fileOf([{ name: 'a', count: 2 }])).toBe('\uFEFFname,count,isOn,at\r\na,2,,\r\n')
  })

  test('has the header row also without rows', async () => {
    expect(await fileOf()).toBe('\uFEFFname,count,isOn,at\r\n')
    expect(await fileOf([])).toBe('\uFEFFname,count,isOn,at\r\n')
  })

  test('is an attachment with a dated name', async () => {
    const { headers } = await csvAnswer({ filename: 'rows', columns, rows: pagesOf() })
    expect(headers['content-type']).toBe('text/csv; charset=utf-8')
    expect(headers['content-disposition']).toMatch(/^attachment; filename="rows-\d{8}\.csv"$/)
  })

  test('writes numbers, truth values and times as they are, and what is absent as nothing', async () => {
    const at = new Date('2026-02-03T04:05:06.789Z')
    const file = await fileOf(
      [{ name: '1100089314336833537', count: -5, isOn: false, at }],
      [{ name: at.toISOString() }],
    )
    expect(rowsOf(file).slice(1)).toEqual([
      ['1100089314336833537', '-5', 'false', '2026-02-03T04:05:06.789Z'],
      ['2026-02-03T04:05:06.789Z', '', '', ''],
    ])
  })

  test.each([
    '=1+1',
    '+1',
    '-1',
    '@SUM(A1)',
    '\tx',
    '\rx',
    '\nx',
    '\0x',
    '＝1',
    '＋1',
    '－1',
    '＠x',
    ' =1',
    '"=1',
    '\u200B=1',
    '\uFEFF=1',
  ])('defuses %j with a leading single quote', async (name) => expect(await nameOf(name)).toBe(`'${name}`))

  test.each([
    [';=1+1;', ";'=1+1;"],
    ['a; @SUM(1)', "a; '@SUM(1)"],
    ['x\t=1', "x\t'=1"],
    ['a;"=1', 'a;"\'=1'],
    ['a;b=1', 'a;b=1'],
    ['a\n=1', "a\n'=1"],
    ['a\r=1', "a\r'=1"],
    ['a\r\n @SUM(1)', "a\r\n '@SUM(1)"],
    ['a\n"\0-1', 'a\n"\0\'-1'],
    ['a\u0085+1', "a\u0085'+1"],
    ['a\u2028＝1', "a\u2028'＝1"],
    ['a\nb-1', 'a\nb-1'],
  ])('defuses %j also for readers that end cells or rows elsewhere', async (name, shown) =>
    expect(await nameOf(name)).toBe(shown),
  )

  test('takes time in proportion to a cell of nothing but white space', async () => {
    const name = `[${'\t'.repeat(256 * 1024)}1]`
    expect(await nameOf(name)).toBe(name)
  }, 20_000)

  test.each(['\n', '\r', '\r\n', '\n\r', '\v', '\f', '\u0085', '\u2028', '\u2029'])(
    'quotes a cell that contains the line break %j, so that it starts no row',
    async (lineBreak) => {
      const name = `a${lineBreak}b`
      expect(await fileOf([{ name, count: 1 }])).toBe(`\uFEFFname,count,isOn,at\r\n"${name}",1,,\r\n`)
      expect(rowsOf(await fileOf([{ name, count: 1 }]))).toEqual([expect.anything(), [name, '1', '', '']])
    },
  )

  test('reads back any text as it was written, except for the quotes that defuse it', async () => {
    const hostile = fc.constantFrom(
      '"',
      ',',
      '\r\n',
      '\n',
      '\r',
      '=',
      '-',
      ';',
      '\t',
      ' ',
      "'",
      '👩‍🚀',
      'مرحبا',
      '\u202E',
      '\u2028',
      '',
    )
    const name = fc.array(fc.oneof(hostile, fc.string({ unit: 'grapheme' }))).map((parts) => parts.join(''))
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(fc.record({ name, count: fc.integer() }))), async (pages) => {
        const read = rowsOf(await fileOf(...pages)).slice(1)
        const rows = pages.flat()
        expect(read).toHaveLength(rows.length)
        for (const [i, row] of rows.entries()) {
          const [cell = '', count] = read[i] ?? []
          expect(cell.replaceAll("'", '')).toBe(row.name.replaceAll("'", ''))
          expect(cell).not.toMatch(/(^|[;\t\r\n\u2028])\s*[=+\-@＝＋－＠]/)
          expect(count).toBe(String(row.count))
        }
      }),
      { numRuns: 300 },
    )
  })

  test('asks for the next page only when the client has taken the last ones', async () => {
    let asked = 0
    let released = false
    async function* endless() {
      try {
        for (;;) {
          asked += 1
          yield Array.from({ length: 500 }, () => ({ name: 'x'.repeat(100) }))
        }
      } finally {
        released = true
      }
    }
    const { stream } = await csvAnswer({ filename: 'rows', columns, rows: endless() })
    stream?.read(1)
    for (let turn = 0; turn < 100; turn++) await nextTurn()
    expect(asked).toBeLessThan(5)
    stream?.destroy()
    await expect.poll(() => released).toBe(true)
  })

  test('fails before it answers when the first page cannot be read', async () => {
    // biome-ignore lint/correctness/useYield: it fails before it has anything.
    async function* broken(): AsyncGenerator<Row[]> {
      throw new Error('no database')
    }
    await expect(csvAnswer({ filename: 'rows', columns, rows: broken() })).rejects.toThrow('no database')
  })
})
