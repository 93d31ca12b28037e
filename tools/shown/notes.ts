import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { inject } from 'vitest'

interface Note {
  readonly text: string
  /** The reason why the command was not run on this machine. */
  readonly skipped?: string
}

const file = () => join(inject('onceFolder'), 'shown-commands')

/** Records that a test ran a shown command. At the end of a whole run, the other commands are reported. */
export const noteRun = (text: string): void => note({ text })

/** Records that a test skipped a shown command, with the reason: its program is missing, or it runs only on request. */
export function noteSkipped(text: string, reason: string): void {
  console.warn(`SKIPPED: ${text.split('\n')[0]}: ${reason}`)
  note({ text, skipped: reason })
}

const note = (one: Note) => appendFileSync(file(), `${JSON.stringify(one)}\n`)

/** Returns the commands that tests ran or skipped since the run began. */
export const notedTexts = (): string[] =>
  existsSync(file())
    ? readFileSync(file(), 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => (JSON.parse(line) as Note).text)
    : []
