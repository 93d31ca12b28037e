import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { inject } from 'vitest'

interface Note {
  readonly text: string
  /** Why the command was not run on this machine. */
  readonly skipped?: string
}

const file = () => join(inject('onceFolder'), 'shown-commands')

/** Notes that a test ran a shown command, so that the end of a whole run can tell which ones no test ran. */
export const noteRun = (text: string): void => note({ text })

/** Notes that a test skipped a shown command, and why: its program is missing, or it was not asked for. */
export function noteSkipped(text: string, reason: string): void {
  console.warn(`SKIPPED: ${text.split('\n')[0]}: ${reason}`)
  note({ text, skipped: reason })
}

const note = (one: Note) => appendFileSync(file(), `${JSON.stringify(one)}\n`)

/** Returns the texts that tests ran or skipped since the run began. */
export const notedTexts = (): string[] =>
  existsSync(file())
    ? readFileSync(file(), 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => (JSON.parse(line) as Note).text)
    : []
