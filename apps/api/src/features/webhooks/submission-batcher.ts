import { batcher } from '#platform/db/batcher'
import type { Database, Queryable } from '#platform/db/database'
import type { Deps } from '../../deps.ts'
import { dropMark, findFirst, insertSubmissions, type NewSubmission, type NotStored } from './ingest-store.ts'

/** The result for a sender: the ID of the submission, or the reason why it was rejected. */
export type Outcome =
  | { readonly id: string; readonly receivedAtMs: number }
  | 'replayed'
  | 'key_reused'
  /** The key, the webhook, or the time of the signature is no longer valid. Check the submission again. */
  | 'stale'

/**
 * Stands for a submission that was left out of its batch, because it does not fit or has the same signature or
 * idempotency key as an earlier one. It is retried in the next batch, when the result of the earlier one is known.
 */
const retryNext = Symbol('again')

/** The maximum size in bytes of the payloads in a statement. A larger batch would delay all of its submissions. */
const maxBytes = 4 * 1024 * 1024

/**
 * Creates the function that stores a submission. Its promise resolves once the submission is committed, or rejected
 * with a reason. Submissions that wait at the end of a turn of the event loop share one statement and one commit.
 */
export function createSubmissionStore({
  db,
  cache,
}: Pick<Deps, 'db' | 'cache'>): (submission: NewSubmission) => Promise<Outcome> {
  // Only one statement runs at a time. Submissions that arrive during a statement share the next commit. With two
  // statements at a time, each commit would have half of the submissions.
  const store = batcher((items: NewSubmission[]) => storeBatch(db, cache, items), 1)
  return async (submission) => {
    for (;;) {
      const outcome = await store(submission)
      if (outcome !== retryNext) return outcome
    }
  }
}

/** Stores one batch. Returns the outcomes in the order of the items. */
async function storeBatch(
  db: Database,
  cache: Deps['cache'],
  items: NewSubmission[],
): Promise<(Outcome | typeof retryNext)[]> {
  const outcomes: (Outcome | typeof retryNext)[] = items.map(() => retryNext)
  const chosen = takeDistinct(items)
  // Replay protection pauses while the cache is down, but signatures are still marked.
  const refusesReplay = cache.isUp()
  const insert = async (queryable: Queryable, query = queryable.query) => {
    const items = chosen.map(([, item]) => item)
    const inserted = await insertSubmissions({ query }, items, refusesReplay)
    const found: Outcome[] = items.map(({ id }) => ({ id, receivedAtMs: inserted.atMs }))
    for (const [i, why] of inserted.notStored)
      found[i] = await whyNot(queryable, why, items[i] as NewSubmission, refusesReplay)
    return found
  }
  // Only an item with both a signature and an idempotency key needs a transaction: `whyNot` may have to delete its
  // mark.
  const isPlain = chosen.every(([, { signature, idempotency }]) => !signature || !idempotency)
  // Without idempotency keys, a prepared plan is used, because planning takes longer than inserting sixty rows.
  const isKeyed = chosen.some(([, { idempotency }]) => idempotency)
  const insertAlone = () => insert(db, isKeyed ? db.query : db.batched)
  const found = await (isPlain ? insertAlone() : db.transaction((tx) => insert(tx)))
  chosen.forEach(([at], i) => {
    outcomes[at] = found[i] as Outcome
  })
  return outcomes
}

/** An item for the statement, with its index in the batch. */
type Chosen = readonly [at: number, item: NewSubmission]

/**
 * Returns the items that one statement can store: without those that repeat the signature or the idempotency key of an
 * earlier item, and without those that exceed the maximum size. The first item is always included.
 */
function takeDistinct(items: readonly NewSubmission[]): Chosen[] {
  const seen = new Set<string>()
  const chosen: Chosen[] = []
  let bytes = 0
  for (const [i, item] of items.entries()) {
    const { target, signature, idempotency, payload } = item
    const mark = signature && `m${target.webhookId}${signature.mac}`
    const key = idempotency && `k${target.webhookId}${idempotency.key}`
    if ((mark && seen.has(mark)) || (key && seen.has(key))) continue
    if (i > 0 && bytes + payload.length > maxBytes) continue
    bytes += payload.length
    if (mark) seen.add(mark)
    if (key) seen.add(key)
    chosen.push([i, item])
  }
  return chosen
}

/**
 * Returns the outcome of an item that was not stored. A repetition with the same body gets the first submission's ID.
 */
async function whyNot(
  db: Queryable,
  row: NotStored,
  item: NewSubmission,
  refusesReplay: boolean,
): Promise<Outcome> {
  if (!row.isCurrent) return 'stale'
  if (row.firstId && row.firstAtMs) {
    return row.isSameBody ? { id: row.firstId, receivedAtMs: row.firstAtMs } : 'key_reused'
  }
  const {
    signature,
    idempotency,
    target: { webhookId },
  } = item
  if (signature && refusesReplay && !row.isMarked) return 'replayed'
  // Otherwise, a concurrent request stored its submission with the same idempotency key.
  const first = idempotency && (await findFirst(db, webhookId, idempotency.key))
  if (!first) throw new Error('The submission was neither stored nor rejected.')
  if (first.bodyDigest === idempotency?.bodyDigest)
    return { id: first.submissionId, receivedAtMs: first.receivedAtMs }
  if (signature && row.isMarked) await dropMark(db, webhookId, signature)
  return 'key_reused'
}
