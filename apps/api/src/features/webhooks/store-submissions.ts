import type { Database, Queryable } from '#platform/db/database'
import { gather } from '#platform/db/gather'
import {
  dropMark,
  findFirst,
  type InsertedRow,
  insertSubmissions,
  type NewSubmission,
} from './submit-store.ts'

/** What a sender is told: where its submission is, or why there is none. */
export type Outcome =
  | { readonly id: string; readonly receivedAtMs: number }
  | 'replayed'
  | 'key_reused'
  /** What it was held against is no longer in force. */
  | 'stale'

/** Its twin goes first: what became of that decides. */
const again = Symbol('again')

/** Characters of payload in one statement: larger batches would hold up everyone in them. */
const mostCharacters = 4 * 1024 * 1024

/**
 * Stores submissions, durably before it returns. All that wait at the end of a turn go into one statement
 * and one commit. `notified` is called after a commit that left something to tell.
 */
export function createSubmissionStore(
  db: Database,
  notified: () => void,
): (submission: NewSubmission) => Promise<Outcome> {
  const store = gather((items: NewSubmission[]) => storeBatch(db, notified, items), db.gathersAtOnce)
  return async (submission) => {
    for (;;) {
      const outcome = await store(submission)
      if (outcome !== again) return outcome
    }
  }
}

async function storeBatch(
  db: Database,
  notified: () => void,
  items: NewSubmission[],
): Promise<(Outcome | typeof again)[]> {
  const outcomes: (Outcome | typeof again)[] = items.map(() => again)
  const chosen = firstOfTheirKind(items)
  let isNotified = false
  const insert = async (queryable: Queryable) => {
    const rows = await insertSubmissions(
      queryable,
      chosen.map(([, item]) => item),
    )
    isNotified = rows.some((row) => row.isNotified)
    const found: Outcome[] = []
    for (const [i, row] of rows.entries())
      found.push(await outcomeOf(queryable, row, (chosen[i] as Chosen)[1]))
    return found
  }
  // One statement is one commit. Only what has a mark and a key may need a second, to take its mark back.
  const isPlain = chosen.every(([, { signature, idempotency }]) => !signature || !idempotency)
  const found = await (isPlain ? insert(db) : db.transaction(insert))
  if (isNotified) notified()
  chosen.forEach(([at], i) => {
    outcomes[at] = found[i] as Outcome
  })
  return outcomes
}

type Chosen = readonly [at: number, item: NewSubmission]

/** The items without those that repeat a signature or a key of an earlier one, and no more than fit. */
function firstOfTheirKind(items: readonly NewSubmission[]): Chosen[] {
  const seen = new Set<string>()
  let characters = 0
  return [...items.entries()].filter(
    ([
      i,
      {
        target: { webhookId },
        signature,
        idempotency,
        payload,
      },
    ]) => {
      const kinds = [
        signature && `m${webhookId}${signature.mac}`,
        idempotency && `k${webhookId}${idempotency.key}`,
      ]
      const own = kinds.filter((kind) => kind !== undefined)
      if (own.some((kind) => seen.has(kind))) return false
      characters += payload.length
      if (i > 0 && characters > mostCharacters) return false
      for (const kind of own) seen.add(kind)
      return true
    },
  )
}

async function outcomeOf(db: Queryable, row: InsertedRow, item: NewSubmission): Promise<Outcome> {
  if (row.isStored) return { id: item.id, receivedAtMs: row.atMs }
  if (!row.isCurrent) return 'stale'
  if (row.firstId && row.firstAtMs) {
    return row.isSameBody ? { id: row.firstId, receivedAtMs: row.firstAtMs } : 'key_reused'
  }
  const {
    signature,
    idempotency,
    target: { webhookId },
  } = item
  if (signature && item.refusesReplay && !row.isMarked) return 'replayed'
  // Another request stored its submission under the same key while this one waited for it.
  const first = idempotency && (await findFirst(db, webhookId, idempotency.key))
  if (!first) throw new Error('A submission was neither stored nor refused.')
  if (first.bodyDigest === idempotency?.bodyDigest)
    return { id: first.submissionId, receivedAtMs: first.receivedAtMs }
  if (signature && row.isMarked) await dropMark(db, webhookId, signature)
  return 'key_reused'
}
