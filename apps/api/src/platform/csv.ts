import { stringify } from 'csv-stringify/sync'
import { type Download, downloadAnswer } from './download.ts'
import type { Answer } from './http/answer.ts'

type Cell = string | number | boolean | Date | null | undefined

export interface CsvColumn<Row> {
  readonly header: string
  readonly value: (row: Row) => Cell
}

export interface CsvFile<Row> {
  /** Without date and extension: `members` becomes `members-20261121.csv`. */
  readonly filename: string
  readonly columns: readonly CsvColumn<Row>[]
  /** Rows in pages, as `Database.stream` gives them. */
  readonly rows: AsyncIterable<readonly Row[]>
}

/**
 * A CSV download (RFC 4180, UTF-8 with byte order mark, header row), written page by page as fast as the
 * client takes it. What fails before the first page is a refusal like any other.
 */
export const csvAnswer = <Row>({ filename, columns, rows }: CsvFile<Row>): Promise<Answer> =>
  downloadAnswer({ filename, kind: csv, chunks: csvChunks(columns, rows) })

const csv: Download['kind'] = { extension: 'csv', mediaType: 'text/csv; charset=utf-8' }
const byteOrderMark = '\uFEFF'

async function* csvChunks<Row>(columns: readonly CsvColumn<Row>[], pages: AsyncIterable<readonly Row[]>) {
  let before = byteOrderMark + write([columns.map(({ header }) => header)])
  for await (const page of pages) {
    if (page.length === 0) continue
    yield before + write(page.map((row) => columns.map(({ value }) => value(row))))
    before = ''
  }
  if (before !== '') yield before
}

const write = (records: Cell[][]) =>
  stringify(records, {
    record_delimiter: 'windows',
    cast: { string: defused, boolean: String, date: (at) => at.toISOString() },
  })

/**
 * What a spreadsheet would run as a formula: it starts with an operator, also a full-width one, behind any
 * quotes and spaces; or with a control character that some spreadsheets drop before they look (CWE-1236).
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it is about.
const formula = /^(?:[\0\t\r\n]|[\s"'\u0000-\u001F\u200B-\u200F\u2060]*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])/

/** The same behind what some spreadsheets take for the end of a cell: `;` where the comma is a decimal mark, and a tab. In JSON, too: whoever needs its bytes exports JSON. */
const formulaInside = /([;\t][\s"'\u200B-\u200F\u2060]*)(?=[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])/g

/** Puts a single quote before what a spreadsheet would run: it is shown as text then. */
const defused = (text: string) => {
  const inside = text.replace(formulaInside, "$1'")
  return formula.test(text) ? `'${inside}` : inside
}
