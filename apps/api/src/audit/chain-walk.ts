import type { ChainRow } from './chain-store.ts'
import { commitmentOf, hashOf, partNames, personalParts, plainHashOf } from './entry.ts'
import { erasureAction } from './erase-entries.ts'
import { retentionAction } from './retention.ts'

/** A row of the chain that contains an entry. */
export type ChainEntry = ChainRow & { readonly seq: number }

/** The ends of the chain when a page was read. */
type Ends = Pick<ChainRow, 'headSeq' | 'headHash' | 'startSeq' | 'startHash'>

/**
 * The state of a walk between two pages, as it is stored in `audit_verification.walk`. Instances of different versions
 * continue each other's walks, so the names of the fields must not change.
 */
export interface WalkState {
  /** The number of entries that were verified. */
  readonly entries: number
  /** The last verified entry, and its hash. */
  readonly seq: number
  readonly hash: string
  /** The start of the log, as the latest retention entry records it. Null if there is none. */
  readonly toldStart: unknown
  /** The number of verified entries whose personal values were erased. */
  readonly erased: number
  /** For each erasure entry: its number, and the number of erased entries that it records. */
  readonly told: readonly (readonly [seq: number, recorded: unknown])[]
  /** For each erasure entry: its number, and the number of verified entries that name it as their erasure. */
  readonly found: readonly (readonly [seq: number, counted: number])[]
}

/**
 * Checks the chain entry by entry. For each page, call `setEnds` with the ends that were read together with the page,
 * and then `step` for each entry. After the last page, call `checkEnd`. A walk can be interrupted after any entry
 * and continue later from its `state`, even on another instance. In the meantime, entries may be appended, erased, or
 * removed by retention.
 */
export class ChainWalk {
  entries = 0
  #seq = 0
  #hash = '0'.repeat(64)
  #ends: Ends | undefined
  #recordedStart: unknown
  #erased = 0
  readonly #recordedErasures: Map<number, unknown>
  readonly #countedErasures: Map<number, number>

  constructor(state?: WalkState) {
    this.#recordedErasures = new Map(state?.told)
    this.#countedErasures = new Map(state?.found)
    if (!state) return
    this.entries = state.entries
    this.#seq = state.seq
    this.#hash = state.hash
    this.#recordedStart = state.toldStart
    this.#erased = state.erased
  }

  get state(): WalkState {
    return {
      ...{ entries: this.entries, seq: this.#seq, hash: this.#hash, erased: this.#erased },
      toldStart: this.#recordedStart ?? null,
      told: [...this.#recordedErasures],
      found: [...this.#countedErasures],
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
   * Sets the ends of the chain as they were when a page was read. Returns false if retention has removed the next entry
   * of the walk in the meantime. The walk cannot continue then, and must start again with a new `ChainWalk`.
   */
  setEnds({ headSeq, headHash, startSeq, startHash }: Ends): boolean {
    this.#ends = { headSeq, headHash, startSeq, startHash }
    if (this.entries > 0) return this.#seq >= startSeq
    this.#seq = startSeq
    this.#hash = startHash
    return true
  }

  /** Checks the next entry. Returns the problem as a sentence, or undefined. */
  step(entry: ChainEntry): string | undefined {
    const problem = checkEntry(entry, this.#seq, this.#hash)
    if (problem) return problem
    this.entries += 1
    this.#seq = entry.seq
    this.#hash = entry.hash
    const { action, changes, erasedBy, seq } = entry
    if (action === retentionAction) this.#recordedStart = newValueOf(changes, 'start')
    if (action === erasureAction) this.#recordedErasures.set(seq, newValueOf(changes, 'auditEntries'))
    if (erasedBy !== null) {
      this.#erased += 1
      this.#countedErasures.set(erasedBy, (this.#countedErasures.get(erasedBy) ?? 0) + 1)
    }
    return undefined
  }

  /** Returns a problem at the ends of the chain or with erasures, or undefined. Call it after the last entry. */
  checkEnd(): string | undefined {
    return this.#checkEnds() ?? this.#checkErasures()
  }

  /**
   * Detects entries that were removed at either end. Then the head points past the last entry, or no entry records the
   * removal of the first ones.
   */
  #checkEnds(): string | undefined {
    if (!this.#ends) return 'The head of the chain is missing.'
    const { headSeq, headHash, startSeq, startHash } = this.#ends
    const end = this.#seq
    if (headSeq > end) return `Entry ${end + 1} is missing: the head of the chain is entry ${headSeq}.`
    if (headSeq < end)
      return `Entry ${headSeq + 1} lies beyond the head of the chain, which is entry ${headSeq}.`
    if (headHash !== this.#hash) return 'The head of the chain does not match the last entry.'
    const start = JSON.stringify({ seq: startSeq, hash: startHash })
    if (startSeq === 0 || JSON.stringify(this.#recordedStart) === start) return undefined
    return `The log begins with entry ${startSeq + 1}, and no entry records the deletion of earlier entries.`
  }

  /** Detects entries that were erased although no erasure entry records it. */
  #checkErasures(): string | undefined {
    for (const [seq, counted] of this.#countedErasures) {
      const recorded = this.#recordedErasures.get(seq)
      if (typeof recorded !== 'number')
        return `Entry ${seq} is named as the erasure of other entries, but records no erasure.`
      // Fewer are normal: retention removes entries, and a later erasure of the same entry replaces its `erasedBy`.
      if (counted > recorded)
        return `Entry ${seq} records ${recorded} erased entries, but ${counted} entries refer to it.`
    }
    return undefined
  }
}

/** Checks that an entry follows the previous one, and is unchanged. Returns the problem, or undefined. */
function checkEntry(entry: ChainEntry, previousSeq: number, previousHash: string): string | undefined {
  const expected = previousSeq + 1
  if (entry.seq !== expected) return `Entry ${expected} is missing.`
  const name = `Entry ${entry.seq} (${entry.id}, ${entry.at})`
  if (entry.previousHash !== previousHash) return `${name} does not follow the entry before it.`
  return isUnchanged(entry, previousHash)
    ? undefined
    : `${name} was changed: its hash does not match its content.`
}

/**
 * Returns true if the hash of the entry matches its content. An erased part has lost its values and its salt, but its
 * commitment (a salted hash) remains.
 */
function isUnchanged(entry: ChainEntry, previousHash: string): boolean {
  const { actorCommitment, targetCommitment, summaryCommitment, erasedBy } = entry
  if (actorCommitment === null || targetCommitment === null || summaryCommitment === null) {
    // This entry is older than commitments. After an erasure, only its place in the chain can be checked.
    return erasedBy !== null || plainHashOf(previousHash, entry) === entry.hash
  }
  const commitments = { actorCommitment, targetCommitment, summaryCommitment }
  const arePartsValid = partNames.every((part) => {
    const salt = entry[`${part}Salt`]
    if (salt !== null) return commitmentOf(part, salt, entry) === commitments[`${part}Commitment`]
    return erasedBy !== null && personalParts[part].every((field) => entry[field] === null)
  })
  return arePartsValid && hashOf(previousHash, entry, commitments) === entry.hash
}

/** Returns the new value of a field, according to the `changes` of an entry. */
function newValueOf(changes: string | null, field: string): unknown {
  const parsed = changes === null ? {} : (JSON.parse(changes) as Record<string, { after?: unknown }>)
  return parsed[field]?.after
}
