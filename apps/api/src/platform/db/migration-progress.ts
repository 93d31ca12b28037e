/** One that is missing, while it is applied. */
export interface MigrationProgress {
  readonly name: string
  /** Its number among those that are missing, and how many these are. */
  readonly number: number
  readonly of: number
  readonly seconds: number
}

/** Told of the ones that take long, again and again until they are done: who waits for an update sees that it goes on. */
export type TellProgress = (progress: MigrationProgress) => void

const everyMs = 5_000

/** In one line, for a person. */
export const progressSentence = ({ name, number, of, seconds }: MigrationProgress): string =>
  `applying ${name} (${number} of ${of}), for ${seconds} s so far`

/** Runs `work` and tells that it goes on. */
export async function whileTelling<T>(
  { tell, ...which }: { tell: TellProgress; name: string; number: number; of: number },
  work: () => Promise<T>,
): Promise<T> {
  const from = performance.now()
  const timer = setInterval(
    () => tell({ ...which, seconds: Math.round((performance.now() - from) / 1_000) }),
    everyMs,
  )
  try {
    return await work()
  } finally {
    clearInterval(timer)
  }
}
