import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { cpus, loadavg, release, totalmem, type } from 'node:os'
import { fileURLToPath } from 'node:url'
import { formatCell, type Table } from './table.ts'

/** The result of a run. `docs/reference/figures.md` and the README's table are generated from these files. */
export interface Result {
  readonly title: string
  /** The time of the run in UTC, to the minute. */
  readonly date: string
  readonly command: string
  readonly machine: string
  /** The load average before the run. Above 1, the page warns that other processes used the machine. */
  readonly loadBefore: number
  readonly versions: Readonly<Record<string, string>>
  readonly tables: readonly Table[]
}

const folder = new URL('../results/', import.meta.url)
const loadBefore = loadavg()[0] ?? 0
const startedAt = performance.now()

/** Describes a run: its time, its machine, and its command with the variables in `settings`. */
export function describeRun(script: string, settings: Readonly<Record<string, string | number>>) {
  const [cpu] = cpus()
  const given = Object.entries(settings).map(([name, value]) => `${name}=${value}`)
  return {
    date: `${new Date().toISOString().slice(0, 16).replace('T', ' ')} UTC`,
    command: [...given, script].join(' '),
    machine: `${cpus().length} × ${cpu?.model.trim() ?? 'unknown'}, ${(totalmem() / 2 ** 30).toFixed(0)} GiB, ${type()} ${release()}`,
    loadBefore: Math.round(loadBefore * 100) / 100,
  }
}

/** Returns the versions of packages, as installed, and of programs, as they print them. */
export function versionsOf(packages: readonly string[], programs: readonly string[] = []) {
  const versions: Record<string, string> = { node: process.versions.node }
  for (const name of packages) versions[name] = installedVersion(name)
  for (const program of programs) {
    const text = execFileSync(program, ['--version'], { encoding: 'utf8' })
    versions[program] = /\d+(?:\.\d+)+/.exec(text)?.[0] ?? 'unknown'
  }
  return versions
}

/**
 * Returns the version of an installed package, also outside the workspace. Searches the folders, because some packages
 * do not export package.json.
 */
function installedVersion(name: string): string {
  const ours = createRequire(import.meta.url).resolve.paths(name) ?? []
  const others = ['../peers', '../../tools/postgres'].map((folder) =>
    fileURLToPath(new URL(`${folder}/node_modules`, import.meta.url)),
  )
  for (const path of [...ours, ...others]) {
    try {
      const { version } = JSON.parse(readFileSync(`${path}/${name}/package.json`, 'utf8'))
      if (typeof version === 'string') return version
    } catch {}
  }
  return 'unknown'
}

/** Prints the tables of a result, and writes them to `bench/results`. A partial result is only printed. */
export function writeResult(file: string, result: Result, { isPart }: { isPart: boolean }): void {
  for (const table of result.tables) print(table)
  if (isPart) return
  mkdirSync(folder, { recursive: true })
  writeFileSync(new URL(`${file}.json`, folder), `${JSON.stringify(result, null, 2)}\n`)
  const minutes = ((performance.now() - startedAt) / 60_000).toFixed(1)
  console.log(
    `\nbench/results/${file}.json written after ${minutes} min. \`npm run docs\` puts it into the pages.`,
  )
}

function print({ title, columns, rows }: Table) {
  const lines = [
    columns.map((column) => column.title),
    ...rows.map((row) => columns.map((column) => formatCell(column, row))),
  ]
  const widths = columns.map((_, at) => Math.max(...lines.map((line) => line[at]?.length ?? 0)))
  console.log(`\n${title}`)
  for (const line of lines) {
    const cells = line.map((cell, at) =>
      columns[at]?.digits === undefined ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0),
    )
    console.log(`  ${cells.join('  ')}`)
  }
}
