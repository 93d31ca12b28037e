import { existsSync, readFileSync } from 'node:fs'
import type { Result } from '../bench/src/results.ts'
import { formatCell, type Table } from '../bench/src/table.ts'
import { generated, table } from './pages.ts'

/** The runs in the order of the page. A run without a result is omitted. */
const runs = [
  'validate',
  'endpoints',
  'relying-parties',
  'changes',
  'scale-sessions',
  'scale-members',
  'scale-mass',
  'scale-instances',
  'console',
  'soak',
  'strict',
]

function readRun(name: string): Result | undefined {
  const file = new URL(`../bench/results/${name}.json`, import.meta.url)
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined
}

const results = () => runs.flatMap((name) => readRun(name) ?? [])

/** Returns `docs/reference/figures.md`, which contains all measurements. */
export const figuresReference = (): string => `${generated}
# Figures

The results of \`npm run bench\`, \`npm run bench:scale\`, \`npm run console -w bench\`, \`npm run soak\`, and \`npm run strict\`, from \`bench/results/\`. Ratios and processor time apply to other
machines, too. Absolute numbers do not.

- Bare \`node:http\` is the reference: it parses the same body and returns a response of the same size. Rolecall can be faster, because it has its
  own request parser.
- Targets take turns. Values are medians over the rounds. Each ratio compares with the first row of its table in the same round.
- Other products run with production settings. *Setup* says what each of them looks up.
${results().map(runSection).join('')}`

const runSection = ({ title, tables, ...run }: Result): string => `
## ${title}

${runLine(run)}
${tables.map((one) => `\n### ${one.title}\n\n${one.note}\n\n${columnsOf(one)}`).join('')}`

/** Returns the line that says when and on which machine a run was measured. */
export const runLine = ({ date, command, machine, loadBefore, versions }: Omit<Result, 'title' | 'tables'>) =>
  `\`${command}\`, ${date}, on ${machine}; load average before the run ${loadBefore}.${busy(loadBefore)} Versions: ${Object.entries(
    versions,
  )
    .map(([name, version]) => `${name} ${version}`)
    .join(', ')}.`

/** The maximum load average of a quiet machine. Above it, the page warns that another process used the processor. */
const calmLoad = 1

const isBusy = (load: number) => load > calmLoad

const busy = (load: number) =>
  isBusy(load) ? ' **Other processes used the machine before this run, so its times are approximate.**' : ''

/** Returns a result's table as Markdown, with all columns or with the named ones. */
export function columnsOf({ columns, rows }: Table, keys = columns.map(({ key }) => key)): string {
  const shown = columns.filter(({ key }) => keys.includes(key))
  return table(
    shown.map(({ title }) => title),
    rows.map((row) => shown.map((column) => formatCell(column, row))),
    shown.map(({ digits }) => digits !== undefined),
  )
}

/** The columns of the table in the README. */
const readmeColumns = ['name', 'store', 'ratio', 'p99']

/** Returns the table of the README, which compares validate with its peers. */
export function readmeFigures(): string {
  const validate = readRun('validate')
  const shown = validate?.tables.find(({ id }) => id === 'validate-64')
  if (!validate || !shown) return 'No results yet. Run `npm run bench`.\n'
  const caveat = isBusy(validate.loadBefore)
    ? ' Other processes used the machine before this run, so its times are approximate.'
    : ''
  return `${columnsOf(shown, readmeColumns)}
Medians of ${validate.date.slice(0, 10)}, on one core with 64 connections.${caveat} [All figures](docs/reference/figures.md).
`
}
