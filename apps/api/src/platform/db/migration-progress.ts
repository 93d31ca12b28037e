/** The progress of a migration that is being applied. */
export interface MigrationProgress {
  readonly name: string
  /** The number of this migration among the missing ones, and their count in `of`. */
  readonly number: number
  readonly of: number
  readonly seconds: number
}

/**
 * Receives the progress of a long migration at regular intervals, so that an operator sees that the update continues.
 */
export type ReportProgress = (progress: MigrationProgress) => void

const everyMs = 5_000

/** Returns the progress in one line, for a person. */
export const progressSentence = ({ name, number, of, seconds }: MigrationProgress): string =>
  `applying ${name} (${number} of ${of}), for ${seconds} s so far`

/** Reports the progress of a migration at regular intervals while `work` runs. */
export async function reportWhile<T>(
  { report, ...which }: { report: ReportProgress; name: string; number: number; of: number },
  work: () => Promise<T>,
): Promise<T> {
  const from = performance.now()
  const timer = setInterval(
    () => report({ ...which, seconds: Math.round((performance.now() - from) / 1_000) }),
    everyMs,
  )
  try {
    return await work()
  } finally {
    clearInterval(timer)
  }
}
