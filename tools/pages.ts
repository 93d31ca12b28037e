/** The first line of every page that is made. */
export const generated = '<!-- Made by `npm run docs` from the sources; changes here are overwritten. -->\n'

/** A table of Markdown; columns of numbers are set to the right. */
export function table(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  numeric: readonly boolean[] = [],
): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |\n`
  return [line(head), line(head.map((_, at) => (numeric[at] ? '---:' : '---'))), ...rows.map(line)].join('')
}
