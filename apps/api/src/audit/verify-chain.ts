import type { Database } from '#platform/db/database'
import { hashOf } from './entry.ts'
import { type ChainRow, streamChain } from './store.ts'

export interface ChainReport {
  /** How many entries were found good, one after another from the first. */
  readonly entries: number
  /** The hash of the last good one. Whoever keeps it elsewhere can tell later whether the log was rewritten. */
  readonly hash: string
  /** The first thing that is wrong, as a sentence. */
  readonly problem?: string
}

/** Walks the chain from its first entry to its head, in one snapshot and at constant memory. */
export async function verifyChain(
  { db }: { readonly db: Pick<Database, 'stream'> },
  onProgress: (entries: number) => void = () => {},
): Promise<ChainReport> {
  let entries = 0
  let hash = '0'.repeat(64)
  let head = { seq: -1, hash: '' }
  for await (const rows of streamChain(db)) {
    for (const { headSeq, headHash, ...entry } of rows) {
      head = { seq: headSeq, hash: headHash }
      if (entry.seq === null) continue
      const problem = problemOf(entry as ChainRow & { seq: number }, entries, hash)
      if (problem) return { entries, hash, problem }
      entries += 1
      hash = entry.hash
    }
    onProgress(entries)
  }
  const problem = problemOfHead(head, entries, hash)
  return problem ? { entries, hash, problem } : { entries, hash }
}

type Entry = Omit<ChainRow, 'headSeq' | 'headHash'> & { seq: number }

function problemOf(entry: Entry, before: number, hash: string): string | undefined {
  const expected = before + 1
  if (entry.seq !== expected) return `Entry ${expected} is missing.`
  const named = `Entry ${entry.seq} (${entry.id}, ${entry.at})`
  if (entry.previousHash !== hash) return `${named} does not follow the entry before it.`
  if (hashOf(hash, entry) !== entry.hash) return `${named} was changed: its hash does not fit its contents.`
  return undefined
}

/** Entries that were cut off the end leave a head that knows better. */
function problemOfHead(head: { seq: number; hash: string }, entries: number, hash: string) {
  if (head.seq === -1) return 'The head of the chain is missing.'
  if (head.seq > entries)
    return `Entry ${entries + 1} is missing: the head of the chain is entry ${head.seq}.`
  if (head.seq < entries) return `Entry ${head.seq + 1} is not in the chain: its head is entry ${head.seq}.`
  return head.hash === hash ? undefined : 'The head of the chain does not fit the last entry.'
}
