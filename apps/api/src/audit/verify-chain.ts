import type { Database } from '#platform/db/database'
import { streamChain } from './chain-store.ts'
import { type ChainEntry, ChainWalk } from './chain-walk.ts'

/** The result of a complete verification. */
export interface ChainReport {
  /** The number of verified entries. */
  readonly entries: number
  /** The hash of the last verified entry. Keep a copy elsewhere: it shows later whether the whole log was rewritten. */
  readonly hash: string
  /** The number of entries that retention has removed. Undefined if there are none. */
  readonly letGo?: number
  /** The number of verified entries whose personal values were erased. Undefined if there are none. */
  readonly erased?: number
  /** The first problem as a sentence. Undefined if the chain is intact. */
  readonly problem?: string
}

/** Verifies the chain from its first entry to its end, in one snapshot. Memory use does not grow with the log. */
export async function verifyChain(
  { db }: { readonly db: Pick<Database, 'stream'> },
  onProgress: (entries: number) => void = () => {},
): Promise<ChainReport> {
  const walk = new ChainWalk()
  let letGo = 0
  const report = (problem: string | undefined): ChainReport => ({
    ...{ entries: walk.entries, hash: walk.hash },
    ...(letGo > 0 && { letGo }),
    ...(walk.erased > 0 && { erased: walk.erased }),
    ...(problem !== undefined && { problem }),
  })
  for await (const rows of streamChain(db)) {
    for (const row of rows) {
      if (walk.entries === 0) walk.setEnds(row)
      letGo = row.startSeq
      const problem = row.seq === null ? undefined : walk.step(row as ChainEntry)
      if (problem) return report(problem)
    }
    onProgress(walk.entries)
  }
  return report(walk.checkEnd())
}
