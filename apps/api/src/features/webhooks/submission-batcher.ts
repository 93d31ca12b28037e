import { batcher } from '#platform/db/batcher'
import type { Database, Queryable } from '#platform/db/database'
import type { Deps } from '../../deps.ts'
import { dropMark, findFirst, insertSubmissions, type NewSubmission, type NotStored } from './ingest-store.ts'

/** The result for a sender: the ID of the submission, or the reason why it was rejected. */
export type Outcome =
  | { readonly id: string; readonly receivedAtMs: number }
  | 'replayed'
  | 'key_reused'
  /** The target has changed since the submission was checked against it. */
  | 'stale'

/**
 * Marks a submission with the same signature or idempotency key as an earlier one of its batch. It is retried in the
 * next batch, when the result of the earlier one is known.
 */
const retryNext = Symbol('again')

/** The maximum number of payload bytes in a statement. A larger batch would delay every submission in it. */
const maxBytes = 4 * 1024 * 1024

/**
 * Stores submissions, and returns once they are durable. Submissions that wait at the end of an event loop turn share
 * one statement and one commit.
 */
export function createSubmissionStore({
  db,
  cache,
}: Pick<Deps, 'db' | 'cache'>): (submission: NewSubmission) => Promise<Outcome> {
  // Runs one statement at a time. Submissions that arrive during it share the next one and its commit. Two concurrent
  // statements would each be half as full.
  const store = batcher((items: NewSubmission[]) => storeBatch(db, cache, items), 1)
  return async (submission) => {
    for (;;) {
      const outcome = await store(submission)
      if (outcome !== retryNext) return outcome
    }
  }
}

async function storeBatch(
  db: Database,
  cache: Deps['cache'],
  items: NewSubmission[],
): Promise<(Outcome | typeof retryNext)[]> {
  const outcomes: (Outcome | typeof retryNext)[] = items.map(() => retryNext)
  const chosen = takeDistinct(items)
  // Replay protection pauses while the cache is down, but marks are still written.
  const refusesReplay = cache.isUp()
  const insert = async (queryable: Queryable, query = queryable.query) => {
    const items = chosen.map(([, item]) => item)
    const inserted = await insertSubmissions({ query }, items, refusesReplay)
    const found: Outcome[] = items.map(({ id }) => ({ id, receivedAtMs: inserted.atMs }))
    for (const [i, why] of inserted.notStored)
      found[i] = await whyNot(queryable, why, items[i] as NewSubmission, refusesReplay)
    return found
  }
  // Needs a transaction only if an item has a mark and a key, because its mark may have to be deleted again.
  const isPlain = chosen.every(([, { signature, idempotency }]) => !signature || !idempotency)
  // Uses the plan of batches if there are no keys to join, because planning takes longer than inserting sixty rows.
  const isKeyed = chosen.some(([, { idempotency }]) => idempotency)
  const insertAlone = () => insert(db, isKeyed ? db.query : db.batched)
  const found = await (isPlain ? insertAlone() : db.transaction((tx) => insert(tx)))
  chosen.forEach(([at], i) => {
    outcomes[at] = found[i] as Outcome
  })
  return outcomes
}

type Chosen = readonly [at: number, item: NewSubmission]

/** Returns the items except those that repeat a signature or a key of an earlier one, up to the maximum size. */
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
  // Another request stored its submission under the same key while this one waited for it.
  const first = idempotency && (await findFirst(db, webhookId, idempotency.key))
  if (!first) throw new Error('The submission was neither stored nor rejected.')
  if (first.bodyDigest === idempotency?.bodyDigest)
    return { id: first.submissionId, receivedAtMs: first.receivedAtMs }
  if (signature && row.isMarked) await dropMark(db, webhookId, signature)
  return 'key_reused'
}
