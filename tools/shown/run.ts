import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { root } from './collect.ts'
import { noteRun } from './notes.ts'

interface Typed {
  readonly cwd: string
  readonly env?: Readonly<Record<string, string>>
  /** Given on the standard input. */
  readonly input?: string
  /** Places in the text that a reader fills in, and what is put there. */
  readonly fill?: Readonly<Record<string, string>>
}

/** Finds the programs of this repository by their names, as an installed package does. */
export const path = `${join(root, 'node_modules/.bin')}:${process.env['PATH']}`

/** Puts in what a reader would. */
export function filledIn(text: string, fill: Typed['fill'] = {}): string {
  return Object.entries(fill).reduce((filled, [place, value]) => {
    if (!filled.includes(place)) throw new Error(`${text} has no ${place} to fill in`)
    return filled.replaceAll(place, () => value)
  }, text)
}

/**
 * Types a shown command into a shell, with this environment and nothing else.
 *
 * @throws Error with all output where the command ends with another code than 0.
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
