/** The first line of every generated page. */
export const generated = '<!-- Made by `npm run docs` from the sources; changes here are overwritten. -->\n'

/** Returns a Markdown table. Columns of numbers are aligned to the right. */
export function table(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  numeric: readonly boolean[] = [],
): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |\n`
  return [line(head), line(head.map((_, at) => (numeric[at] ? '---:' : '---'))), ...rows.map(line)].join('')
}
