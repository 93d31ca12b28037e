import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { brief } from '../../../tools/brief.ts'

/** The published program. A complete run builds it before the tests. */
export const program = fileURLToPath(new URL('../bin/rolecall.js', import.meta.url))

export interface Ended {
  readonly code: number
  readonly out: string
  readonly err: string
}

/** Runs a command in a folder, with only this environment. */
export const runCommand = (
  folder: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  run = program,
) =>
  new Promise<Ended>((resolve) => {
    const options = { cwd: folder, env: { PATH: process.env['PATH'], ...env }, maxBuffer: 1e8 }
    execFile(process.execPath, [...brief, run, ...args], options, (error, out, err) =>
      resolve({ code: error ? Number(error.code) : 0, out, err }),
    )
  })
