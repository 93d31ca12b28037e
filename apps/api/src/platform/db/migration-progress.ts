/** The progress of one migration. */
export interface MigrationProgress {
  readonly name: string
  /** The position of this migration among those that are missing, and their number. */
  readonly number: number
  readonly of: number
  readonly seconds: number
}

/** Called at regular intervals during a long migration, so that an operator sees that it is still running. */
export type ReportProgress = (progress: MigrationProgress) => void

const everyMs = 5_000

/** Formats the progress as one line. */
export const progressSentence = ({ name, number, of, seconds }: MigrationProgress): string =>
  `applying ${name} (${number} of ${of}), for ${seconds} s so far`

/** Runs `work`, and reports the progress at regular intervals until it ends. */
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
