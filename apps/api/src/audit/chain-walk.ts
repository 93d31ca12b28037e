import type { ChainRow } from './chain-store.ts'
import { commitmentOf, hashOf, partNames, personalParts, plainHashOf } from './entry.ts'
import { erasureAction } from './erase-entries.ts'
import { letGoAction } from './retention.ts'

/** A row of the chain that contains an entry. */
export type ChainEntry = ChainRow & { readonly seq: number }

/** The ends of the chain when a page was read. */
type Ends = Pick<ChainRow, 'headSeq' | 'headHash' | 'startSeq' | 'startHash'>

/** The state of a walk between two pages. It can be stored as JSON. */
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
 * Checks the chain entry by entry. A walk can be interrupted after any entry and continue later, even on another
 * instance, because its state is small. In the meantime, entries may be appended, erased, or removed by retention.
 */
export class ChainWalk {
  entries = 0
  /** The last verified entry, and its hash. */
  #seq = 0
  #hash = '0'.repeat(64)
  #ends: Ends | undefined
  /** The beginning of the log, according to the last entry that recorded a removal. */
  #toldStart: unknown
  #erased = 0
  /**
   * For each entry that records an erasure: the number of entries that it says were erased, and the number of entries
   * that refer to it.
   */
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

  /**
   * Sets the ends of the chain, which were read with a page. Returns false if retention has removed the next entry of
   * the walk, so that the walk must start again.
   */
  sees({ headSeq, headHash, startSeq, startHash }: Ends): boolean {
    this.#ends = { headSeq, headHash, startSeq, startHash }
    if (this.entries > 0) return this.#seq >= startSeq
    this.#seq = startSeq
    this.#hash = startHash
    return true
  }

  /** Checks the next entry. Returns the problem as a sentence, or undefined. */
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

  /** Returns a problem at the ends of the chain or with erasures, or undefined. Call it after the last entry. */
  problemAtEnd(): string | undefined {
    return this.#problemOfEnds() ?? this.#problemOfErasures()
  }

  /**
   * Finds removed entries. If the end was cut off, the head is a later entry. If the beginning was cut off, no entry
   * records the removal.
   */
  #problemOfEnds(): string | undefined {
    if (!this.#ends) return 'The head of the chain is missing.'
    const { headSeq, headHash, startSeq, startHash } = this.#ends
    const end = this.#seq
    if (headSeq > end) return `Entry ${end + 1} is missing: the head of the chain is entry ${headSeq}.`
    if (headSeq < end) return `Entry ${headSeq + 1} is not in the chain: its head is entry ${headSeq}.`
    if (headHash !== this.#hash) return 'The head of the chain does not match the last entry.'
    const start = JSON.stringify({ seq: startSeq, hash: startHash })
    if (startSeq === 0 || JSON.stringify(this.#toldStart) === start) return undefined
    return `The log begins with entry ${startSeq + 1}, and no entry records the deletion of earlier entries.`
  }

  /** Finds erased values whose erasure no entry records. */
  #problemOfErasures(): string | undefined {
    for (const [by, found] of this.#found) {
      const told = this.#told.get(by)
      if (typeof told !== 'number') return `Entry ${by} is recorded as an erasure but contains none.`
      if (found > told) return `Entry ${by} records ${told} erased entries, but there are ${found}.`
    }
    return undefined
  }
}

function chainFault(entry: ChainEntry, before: number, hash: string): string | undefined {
  const expected = before + 1
  if (entry.seq !== expected) return `Entry ${expected} is missing.`
  const named = `Entry ${entry.seq} (${entry.id}, ${entry.at})`
  if (entry.previousHash !== hash) return `${named} does not follow the entry before it.`
  return isAsWritten(entry, hash) ? undefined : `${named} was changed: its hash does not match its content.`
}

function isAsWritten(entry: ChainEntry, previousHash: string): boolean {
  const { actorCommitment, targetCommitment, summaryCommitment, erasedBy } = entry
  if (actorCommitment === null || targetCommitment === null || summaryCommitment === null) {
    // This entry is older than commitments. After an erasure, only its place in the chain can be checked.
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

/** Returns the new value of a field, as the changes of an entry state it. */
function changeTo(changes: string | null, field: string): unknown {
  const parsed = changes === null ? {} : (JSON.parse(changes) as Record<string, { after?: unknown }>)
  return parsed[field]?.after
}
