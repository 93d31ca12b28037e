import { DatabaseUnavailable } from './database.ts'

const maxItems = 500

interface Waiting<In, Out> {
  item: In
  resolve: (out: Out | PromiseLike<Out>) => void
  reject: (error: unknown) => void
}

/**
 * Turns a statement for many items into a function for one item. All items that wait at the end of a turn of the event
 * loop share one run, and at most `atOnce` runs are in progress. An item waits for the end of the turn even if no run
 * is in progress: a single item loses microseconds, and many simultaneous items share one run.
 *
 * Each run starts after its items were requested, so a result is never older than its request. A batch read is
 * therefore as strict as a separate read.
 */
export function batcher<In, Out>(
  run: (items: In[]) => Promise<readonly (Out | PromiseLike<Out>)[]>,
  atOnce: number,
): (item: In) => Promise<Out> {
  let waiting: Waiting<In, Out>[] = []
  let inFlight = 0
  let scheduled = false

  const flush = () => {
    scheduled = false
    if (waiting.length === 0 || inFlight >= atOnce) return
    const batch = waiting.length > maxItems ? waiting.splice(0, maxItems) : waiting
    if (batch === waiting) waiting = []
    inFlight += 1
    run(batch.map(({ item }) => item)).then(
      (outs) => {
        inFlight -= 1
        for (let i = 0; i < batch.length; i++) (batch[i] as Waiting<In, Out>).resolve(outs[i] as Out)
        schedule()
      },
      (error: unknown) => {
        inFlight -= 1
        for (const one of batch) one.reject(error)
        schedule()
      },
    )
  }
  const schedule = () => {
    if (scheduled || waiting.length === 0 || inFlight >= atOnce) return
    scheduled = true
    setImmediate(flush)
  }
  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject })
      schedule()
    })
}

/** The result for an item that a batched statement skipped, because another transaction holds its row. */
export const heldElsewhere = Symbol('held elsewhere')

interface Change<In, Out> {
  /** Changes many items with one statement, which is one commit. It skips each row that another transaction holds. */
  readonly changeMany: (items: In[]) => Promise<(Out | typeof heldElsewhere)[]>
  /** Changes one item, and waits for its row. */
  readonly changeOne: (item: In) => Promise<Out>
}

/**
 * Gathers changes as `batcher` gathers reads, with one statement at a time. Changes that arrive during a statement
 * share the next commit; with two statements at a time, each commit would have half of the changes. If another
 * transaction holds the row of a change, that change is made separately, so that the others do not wait for the row. If
 * the statement fails, nothing has changed. Each change is then made separately, so that only the faulty one fails.
 * After `DatabaseUnavailable` the outcome may be unknown, so nothing is retried.
 */
export const changeBatcher = <In, Out>({
  changeMany,
  changeOne,
}: Change<In, Out>): ((item: In) => Promise<Out>) =>
  batcher(async (items: In[]): Promise<(Out | Promise<Out>)[]> => {
    try {
      const outs = await changeMany(items)
      return outs.map((out, i) => (out === heldElsewhere ? changeOne(items[i] as In) : out))
    } catch (error) {
      if (error instanceof DatabaseUnavailable) throw error
      return items.map(changeOne)
    }
  }, 1)
