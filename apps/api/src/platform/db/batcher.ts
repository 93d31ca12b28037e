import { DatabaseUnavailable } from './database.ts'

/** The maximum number of items in one run. */
const maxItems = 500

interface Waiting<In, Out> {
  item: In
  resolve: (out: Out | PromiseLike<Out>) => void
  reject: (error: unknown) => void
}

/**
 * Turns a function for many items into a function for one item, so that simultaneous callers share a statement. All
 * items that are requested in one turn of the event loop share one run. At most `atOnce` runs are in progress; further
 * items wait for the next one. An item always waits for the end of the turn, which costs microseconds.
 *
 * A run starts after its items were requested. So a result is never older than its request, exactly as with a separate
 * statement.
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
    // More items than fit into one run.
    schedule()
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

/** The result for an item that a shared statement has skipped, because another transaction holds its row. */
export const heldElsewhere = Symbol('held elsewhere')

interface Change<In, Out> {
  /**
   * Changes many items with one statement, and therefore one commit. Returns `heldElsewhere` for each row that another
   * transaction holds.
   */
  readonly changeMany: (items: In[]) => Promise<(Out | typeof heldElsewhere)[]>
  /** Changes one item, and waits for its row. */
  readonly changeOne: (item: In) => Promise<Out>
}

/**
 * Combines changes as `batcher` combines reads, with one statement at a time. Changes that arrive during a statement
 * share the next commit. With two statements at a time, each commit would have only half of the changes.
 *
 * A change whose row another transaction holds is made separately, so that the others need not wait for that row. If
 * the shared statement fails, nothing has changed: each change is then made separately, so that only the one at fault
 * fails. After `DatabaseUnavailable`, nothing is repeated, because the statement may have been executed.
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
