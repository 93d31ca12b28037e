import type { ChainRow } from './chain-store.ts'
import { commitmentOf, hashOf, partNames, personalParts, plainHashOf } from './entry.ts'
import { erasureAction } from './erase-entries.ts'
import { letGoAction } from './retention.ts'

export type ChainEntry = ChainRow & { readonly seq: number }

/** The ends of the chain as they are in the moment that a page is read. */
type Ends = Pick<ChainRow, 'headSeq' | 'headHash' | 'startSeq' | 'startHash'>

/** What a walk remembers between two pages, as JSON. */
export interface WalkState {
  readonly entries: number
  readonly seq: number
  readonly hash: string
  readonly toldStart: unknown
  readonly erased: number
  readonly told: readonly (readonly [number, unknown])[]
  readonly found: readonly (readonly [number, number])[]
}

/**
 * A walk along the chain, entry by entry. It may be interrupted after any of them and go on later, also elsewhere: what it
 * remembers is small. Meanwhile entries are appended, erased or let go; it holds against that.
 */
export class ChainWalk {
  entries = 0
  /** The last entry that was found good, and its hash. */
  #seq = 0
  #hash = '0'.repeat(64)
  #ends: Ends | undefined
  /** Where the newest entry about it says that the log begins. */
  #toldStart: unknown
  #erased = 0
  /** By the entry that tells of an erasure: how many entries it says that it changed, and how many name it. */
  readonly #told: Map<number, unknown>
  readonly #found: Map<number, number>

  constructor(state?: WalkState) {
    this.#told = new Map(state?.told)
    this.#found = new Map(state?.found)
    if (!state) return
    this.entries = state.entries
    this.#seq = state.seq
    this.#hash = state.hash
    this.#toldStart = state.toldStart
    this.#erased = state.erased
  }

  get state(): WalkState {
    return {
      ...{ entries: this.entries, seq: this.#seq, hash: this.#hash, erased: this.#erased },
      toldStart: this.#toldStart ?? null,
      told: [...this.#told],
      found: [...this.#found],
    }
  }

  get seq(): number {
    return this.#seq
  }

  get erased(): number {
    return this.#erased
  }

  get hash(): string {
    return this.#hash
  }

  /** Takes the ends that came with a page. False when the walk stands before the first entry that is left: it must begin anew. */
  sees({ headSeq, headHash, startSeq, startHash }: Ends): boolean {
    this.#ends = { headSeq, headHash, startSeq, startHash }
    if (this.entries > 0) return this.#seq >= startSeq
    this.#seq = startSeq
    this.#hash = startHash
    return true
  }

  step(entry: ChainEntry): string | undefined {
    const problem = chainFault(entry, this.#seq, this.#hash)
    if (problem) return problem
    this.entries += 1
    this.#seq = entry.seq
    this.#hash = entry.hash
    const { action, changes, erasedBy, seq } = entry
    if (action === letGoAction) this.#toldStart = changeTo(changes, 'start')
    if (action === erasureAction) this.#told.set(seq, changeTo(changes, 'auditEntries'))
    if (erasedBy !== null) {
      this.#erased += 1
      this.#found.set(erasedBy, (this.#found.get(erasedBy) ?? 0) + 1)
    }
    return undefined
  }

  /** What is wrong at the ends of the chain, or with erasures; asked when the walk is over. */
  problemAtEnd(): string | undefined {
    return this.#problemOfEnds() ?? this.#problemOfErasures()
  }

  /** Entries that were cut off the end leave a head that knows better; those cut off the beginning, no entry that tells of it. */
  #problemOfEnds(): string | undefined {
    if (!this.#ends) return 'The head of the chain is missing.'
    const { headSeq, headHash, startSeq, startHash } = this.#ends
    const end = this.#seq
    if (headSeq > end) return `Entry ${end + 1} is missing: the head of the chain is entry ${headSeq}.`
    if (headSeq < end) return `Entry ${headSeq + 1} is not in the chain: its head is entry ${headSeq}.`
    if (headHash !== this.#hash) return 'The head of the chain does not fit the last entry.'
    const start = JSON.stringify({ seq: startSeq, hash: startHash })
    if (startSeq === 0 || JSON.stringify(this.#toldStart) === start) return undefined
    return `The log begins with entry ${startSeq + 1}, and no entry tells that those before it were let go.`
  }

  /** Whoever takes values away without an entry that tells of it takes too many. */
  #problemOfErasures(): string | undefined {
    for (const [by, found] of this.#found) {
      const told = this.#told.get(by)
      if (typeof told !== 'number')
        return `Entry ${by} is said to have erased others, and tells of no erasure.`
      if (found > told) return `Entry ${by} tells of ${told} entries that it erased, and there are ${found}.`
    }
    return undefined
  }
}

function chainFault(entry: ChainEntry, before: number, hash: string): string | undefined {
  const expected = before + 1
  if (entry.seq !== expected) return `Entry ${expected} is missing.`
  const named = `Entry ${entry.seq} (${entry.id}, ${entry.at})`
  if (entry.previousHash !== hash) return `${named} does not follow the entry before it.`
  return isAsWritten(entry, hash) ? undefined : `${named} was changed: its hash does not fit its contents.`
}

function isAsWritten(entry: ChainEntry, previousHash: string): boolean {
  const { actorCommitment, targetCommitment, summaryCommitment, erasedBy } = entry
  if (actorCommitment === null || targetCommitment === null || summaryCommitment === null) {
    // Of an entry from before there were commitments an erasure leaves the place in the chain.
    return erasedBy !== null || plainHashOf(previousHash, entry) === entry.hash
  }
  const commitments = { actorCommitment, targetCommitment, summaryCommitment }
  const holds = partNames.every((part) => {
    const salt = entry[`${part}Salt`]
    if (salt !== null) return commitmentOf(part, salt, entry) === commitments[`${part}Commitment`]
    return erasedBy !== null && personalParts[part].every((field) => entry[field] === null)
  })
  return holds && hashOf(previousHash, entry, commitments) === entry.hash
}

/** What a field became, by the changes of an entry. */
function changeTo(changes: string | null, field: string): unknown {
  const parsed = changes === null ? {} : (JSON.parse(changes) as Record<string, { after?: unknown }>)
  return parsed[field]?.after
}
