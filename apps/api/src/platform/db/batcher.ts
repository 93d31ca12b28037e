const maxItems = 500

interface Waiting<In, Out> {
  item: In
  resolve: (out: Out) => void
  reject: (error: unknown) => void
}

/**
 * Turns a statement for many into a function for one. All that wait at the end of a turn of the event
 * loop go in one run; at most `atOnce` runs are under way. The end of the turn is awaited also by whoever
 * finds nothing under way: alone that costs microseconds, and in a crowd it makes one run of many.
 *
 * Each run starts after its items were asked for, so an answer is never older than its question: this
 * is what makes a batch read as strict as a read of one's own.
 */
export function batcher<In, Out>(
  run: (items: In[]) => Promise<Out[]>,
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
