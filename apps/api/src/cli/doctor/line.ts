/** A line that `doctor` prints. If there is a `problem`, the command exits with 1. */
export interface Line {
  readonly kind: 'ok' | 'note' | 'problem' | 'skipped'
  /** The finding of the check. For a problem, also the fix. */
  readonly text: string
  /** True if Discord gave no usable response. All later checks that need Discord are then skipped. */
  readonly isPlatformAway?: true
}

export const ok = (text: string): Line => ({ kind: 'ok', text })
/** Creates a line about something that is useful to know, and needs no fix. */
export const note = (text: string): Line => ({ kind: 'note', text })
export const problem = (text: string): Line => ({ kind: 'problem', text })
/** Creates the line of a check that was skipped because another check failed. */
export const skipped = (text: string): Line => ({ kind: 'skipped', text })

/** The printed word of each kind of line. */
export const words: Readonly<Record<Line['kind'], string>> = {
  ok: 'ok',
  note: 'note',
  problem: 'PROBLEM',
  skipped: 'SKIPPED',
}
