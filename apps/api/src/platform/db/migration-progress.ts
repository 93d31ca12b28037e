/** A missing migration, while it is applied. */
export interface MigrationProgress {
  readonly name: string
  /** Its number among the missing ones, and their count. */
  readonly number: number
  readonly of: number
  readonly seconds: number
}

/**
 * Receives the progress of long migrations, again and again until they are finished: an operator who waits for an
 * update sees that it continues.
 */
export type ReportProgress = (progress: MigrationProgress) => void

const everyMs = 5_000

/** Returns the progress in one line, for a person. */
export const progressSentence = ({ name, number, of, seconds }: MigrationProgress): string =>
  `applying ${name} (${number} of ${of}), for ${seconds} s so far`

/** Runs `work` and reports its progress. */
export async function whileTelling<T>(
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
