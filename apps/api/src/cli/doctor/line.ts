/** One line of what `doctor` prints. Only a problem makes it exit 1. */
export interface Line {
  readonly kind: 'ok' | 'note' | 'problem' | 'skipped'
  /** What was found; for a problem, also what to do. */
  readonly text: string
}

export const ok = (text: string): Line => ({ kind: 'ok', text })
/** Nothing to mend, and worth knowing. */
export const note = (text: string): Line => ({ kind: 'note', text })
export const problem = (text: string): Line => ({ kind: 'problem', text })
/** Not checked, because it depends on another check that failed. */
export const skipped = (text: string): Line => ({ kind: 'skipped', text })

/** How the kinds are printed. */
export const words: Readonly<Record<Line['kind'], string>> = {
  ok: 'ok',
  note: 'note',
  problem: 'PROBLEM',
  skipped: 'SKIPPED',
}
