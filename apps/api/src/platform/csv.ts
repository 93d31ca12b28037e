import { stringify } from 'csv-stringify/sync'
import { type Download, downloadAnswer } from './download.ts'
import type { Answer } from './http/answer.ts'

type Cell = string | number | boolean | Date | null | undefined

export interface CsvColumn<Row> {
  readonly header: string
  readonly value: (row: Row) => Cell
}

export interface CsvFile<Row> {
  /** The name without date and extension: `members` becomes `members-20261121.csv`. */
  readonly filename: string
  readonly columns: readonly CsvColumn<Row>[]
  /** Rows in pages, as `Database.stream` yields them. */
  readonly rows: AsyncIterable<readonly Row[]>
}

/**
 * Creates a CSV download (RFC 4180, UTF-8 with byte order mark, header row), which is written page by page as fast as
 * the client reads it. An error before the first page becomes a normal refusal.
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
 * Matches every line break that a reader may interpret as the end of a row. The writer itself quotes only CR and LF.
 */
const lineBreak = /[\r\n\v\f\u0085\u2028\u2029]/

/**
 * Matches a cell that a spreadsheet would run as a formula (CWE-1236). It begins with an operator, maybe a full-width
 * one, after any quotes and spaces, or with a control character that some spreadsheets drop.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: Spreadsheets drop these control characters.
const formula = /^(?:[\0\t\r\n]|[\s"'\u0000-\u001F\u200B-\u200F\u2060]*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])/

/**
 * Matches the place before an operator that follows the end of a cell or a row, as some spreadsheets read it: a line
 * break, a tab, or `;` where the comma is a decimal mark. Also matches within JSON, because submissions are exported
 * with their exact bytes. The pattern begins with the operator, so that a long run of white space is read once, and not
 * once per character.
 */
const formulaInside =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: Spreadsheets drop these control characters.
  /(?=[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])(?<=[;\t\r\n\v\f\u0085\u2028\u2029][\s"'\u0000-\u001F\u200B-\u200F\u2060]*)/g

/**
 * Puts a single quote before each text that a spreadsheet would run as a formula, so that the spreadsheet shows the
 * text.
 */
const defused = (text: string) => {
  const inside = text.replace(formulaInside, "'")
  return formula.test(text) ? `'${inside}` : inside
}
