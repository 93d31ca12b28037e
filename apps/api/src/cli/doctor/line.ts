/** One line of what `doctor` prints. */
export interface Line {
  readonly isOk: boolean
  /** What was found; for a problem, also what to do. */
  readonly text: string
}

export const ok = (text: string): Line => ({ isOk: true, text })
export const problem = (text: string): Line => ({ isOk: false, text })
