import type { Database } from '#platform/db/database'
import { streamChain } from './chain-store.ts'
import { type ChainEntry, ChainWalk } from './chain-walk.ts'

export interface ChainReport {
  /** How many entries were found good, one after another from the first. */
  readonly entries: number
  /** The hash of the last good one. Whoever keeps it elsewhere can tell later whether the log was rewritten. */
  readonly hash: string
  /** Entries before the first one that were let go; absent when there are none. */
  readonly letGo?: number
  /** Good entries whose personal values, or some of them, were erased; absent when there are none. */
  readonly erased?: number
  /** The first thing that is wrong, as a sentence. */
  readonly problem?: string
}

/** Walks the chain from its first entry to its head, in one snapshot and at constant memory. */
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
      if (walk.entries === 0) walk.sees(row)
      letGo = row.startSeq
      const problem = row.seq === null ? undefined : walk.step(row as ChainEntry)
      if (problem) return report(problem)
    }
    onProgress(walk.entries)
  }
  return report(walk.problemAtEnd())
}
