import { stringify } from 'csv-stringify/sync'
import { type Download, downloadAnswer } from './download.ts'
import type { Answer } from './http/answer.ts'

type Cell = string | number | boolean | Date | null | undefined

/** A column of a CSV file: its header, and its value in each row. */
export interface CsvColumn<Row> {
  readonly header: string
  readonly value: (row: Row) => Cell
}

/** A CSV file, with rows that are read while it is sent. */
export interface CsvFile<Row> {
  /** The file name without date and extension. `members` becomes `members-20261121.csv`. */
  readonly filename: string
  readonly columns: readonly CsvColumn<Row>[]
  /** The rows in pages, as `Database.stream` yields them. */
  readonly rows: AsyncIterable<readonly Row[]>
}

/**
 * Creates a download of a CSV file (RFC 4180, UTF-8 with a byte order mark, and a header row). It is written page by
 * page, as fast as the client reads it. An error before the first page becomes an error response.
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
    quoted_match: lineBreak,
    cast: { string: defused, boolean: String, date: (at) => at.toISOString() },
  })

/**
 * Matches every line break that a program may read as the end of a row. The CSV library itself quotes only CR and LF.
 */
const lineBreak = /[\r\n\v\f\u0085\u2028\u2029]/

/**
 * Matches a cell that a spreadsheet would run as a formula (CWE-1236): after any quotes and spaces, it begins with an
 * operator, possibly a full-width one. A cell also matches if it begins with a control character that some spreadsheets
 * drop.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: Spreadsheets drop these control characters.
const formula = /^(?:[\0\t\r\n]|[\s"'\u0000-\u001F\u200B-\u200F\u2060]*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])/

/**
 * Matches the position before an operator that some spreadsheets would read as the beginning of a cell: after a line
 * break, a tab, or a `;` (where the comma is the decimal mark). It also matches inside JSON, because submissions are
 * exported byte by byte. The pattern begins with the operator, so that a long run of spaces is read only once.
 */
const formulaInside =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: Spreadsheets drop these control characters.
  /(?=[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])(?<=[;\t\r\n\v\f\u0085\u2028\u2029][\s"'\u0000-\u001F\u200B-\u200F\u2060]*)/g

/**
 * Inserts a single quote before each text that a spreadsheet would run as a formula. The spreadsheet then shows it as
 * text.
 */
const defused = (text: string) => {
  const inside = text.replace(formulaInside, "'")
  return formula.test(text) ? `'${inside}` : inside
}
