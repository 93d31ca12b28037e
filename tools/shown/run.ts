import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inject } from 'vitest'
import { brief } from '../brief.ts'
import { root } from './collect.ts'
import { noteRun } from './notes.ts'

interface Typed {
  readonly cwd: string
  readonly env?: Readonly<Record<string, string>>
  /** Text for the standard input. */
  readonly input?: string
  /** Placeholders in the text, each with its value. */
  readonly fill?: Readonly<Record<string, string>>
}

/** A PATH that contains the programs of this repository, like that of an installed package. */
export const path = `${briefNode()}:${join(root, 'node_modules/.bin')}:${process.env['PATH']}`

/** Creates a folder with a `node` that adds the flags for processes that end within seconds to `rolecall`. */
function briefNode(): string {
  const folder = join(inject('onceFolder'), 'brief-node')
  mkdirSync(folder, { recursive: true })
  const node = `'${process.execPath}'`
  const script = `#!/bin/sh\ncase $1 in */.bin/rolecall) exec ${node} ${brief.join(' ')} "$@";; esac\nexec ${node} "$@"\n`
  // Renames the complete file, because another test file may start the program at the same time.
  const unfinished = join(mkdtempSync(`${folder}-`), 'node')
  writeFileSync(unfinished, script, { mode: 0o755 })
  renameSync(unfinished, join(folder, 'node'))
  return folder
}

/** Replaces the placeholders in a command, as a reader would. */
export function filledIn(text: string, fill: Typed['fill'] = {}): string {
  return Object.entries(fill).reduce((filled, [place, value]) => {
    if (!filled.includes(place)) throw new Error(`${text} has no ${place} to fill in`)
    return filled.replaceAll(place, () => value)
  }, text)
}

/**
 * Runs a shown command in a shell, with only this environment.
 *
 * @throws Error with all output if the exit code is not 0.
 */
export const runShown = (text: string, { cwd, env, input = '', fill }: Typed): Promise<string> =>
  new Promise((resolve, reject) => {
    const options = { cwd, env: { PATH: path, ...env }, maxBuffer: 16 * 1024 * 1024 }
    const child = execFile('sh', ['-ec', filledIn(text, fill)], options, (error, out, err) => {
      if (error) return reject(new Error(`${text}\n${error.message}\n${out}${err}`))
      noteRun(text)
      resolve(out + err)
    })
    child.stdin?.end(input)
  })
