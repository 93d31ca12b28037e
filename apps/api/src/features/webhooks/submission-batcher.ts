import { batcher } from '#platform/db/batcher'
import type { Database, Queryable } from '#platform/db/database'
import type { Deps } from '../../deps.ts'
import { dropMark, findFirst, insertSubmissions, type NewSubmission, type NotStored } from './ingest-store.ts'

/** What a sender is told: where its submission is, or why there is none. */
export type Outcome =
  | { readonly id: string; readonly receivedAtMs: number }
  | 'replayed'
  | 'key_reused'
  /** What it was held against is no longer in force. */
  | 'stale'

/** Repeats a signature or a key of this batch: it is tried again in the next one, when what became of the first is known. */
const again = Symbol('again')

/** Bytes of payload in one statement: larger batches would hold up everyone in them. */
const maxBytes = 4 * 1024 * 1024

/**
 * Stores submissions, and returns once they are durable. Submissions that wait at the end of an event loop turn share one
 * statement and one commit.
 */
export function createSubmissionStore({
  db,
  cache,
}: Pick<Deps, 'db' | 'cache'>): (submission: NewSubmission) => Promise<Outcome> {
  // One statement at a time: what comes meanwhile shares the next one, and its commit. Two would each be half.
  const store = batcher((items: NewSubmission[]) => storeBatch(db, cache, items), 1)
  return async (submission) => {
    for (;;) {
      const outcome = await store(submission)
      if (outcome !== again) return outcome
    }
  }
}

async function storeBatch(
  db: Database,
  cache: Deps['cache'],
  items: NewSubmission[],
): Promise<(Outcome | typeof again)[]> {
  const outcomes: (Outcome | typeof again)[] = items.map(() => again)
  const chosen = firstOfTheirKind(items)
  // The specification lets replay protection pause with the cache; marks are made all the same.
  const refusesReplay = cache.isUp()
  const insert = async (queryable: Queryable, query = queryable.query) => {
    const items = chosen.map(([, item]) => item)
    const inserted = await insertSubmissions({ query }, items, refusesReplay)
    const found: Outcome[] = items.map(({ id }) => ({ id, receivedAtMs: inserted.atMs }))
    for (const [i, why] of inserted.notStored)
      found[i] = await whyNot(queryable, why, items[i] as NewSubmission, refusesReplay)
    return found
  }
  // One statement is one commit. Only what has a mark and a key may need a second, to take its mark back.
  const isPlain = chosen.every(([, { signature, idempotency }]) => !signature || !idempotency)
  // Planned once where it has no keys to join: planning it took longer than sixty of its rows.
  const isKeyed = chosen.some(([, { idempotency }]) => idempotency)
  const alone = () => insert(db, isKeyed ? db.query : db.batched)
  const found = await (isPlain ? alone() : db.transaction((tx) => insert(tx)))
  chosen.forEach(([at], i) => {
    outcomes[at] = found[i] as Outcome
  })
  return outcomes
}

type Chosen = readonly [at: number, item: NewSubmission]

/** The items without those that repeat a signature or a key of an earlier one, and no more than fit. */
function firstOfTheirKind(items: readonly NewSubmission[]): Chosen[] {
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
  if (!first) throw new Error('A submission was neither stored nor refused.')
  if (first.bodyDigest === idempotency?.bodyDigest)
    return { id: first.submissionId, receivedAtMs: first.receivedAtMs }
  if (signature && row.isMarked) await dropMark(db, webhookId, signature)
  return 'key_reused'
}
