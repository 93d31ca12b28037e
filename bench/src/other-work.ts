/** One kind of request or change that is repeated while something else runs. */
export interface Lane {
  readonly name: string
  /** Makes one request or change. Settles when the response has arrived. */
  readonly once: () => Promise<void>
}

/** Runs all lanes until `work` is done. Returns the longest wait of each lane, in milliseconds. */
export async function alongside<T>(
  lanes: readonly Lane[],
  work: () => Promise<T>,
): Promise<{ result: T; longest: Readonly<Record<string, number>> }> {
  let isDone = false
  const longest: Record<string, number> = {}
  const run = async ({ name, once }: Lane) => {
    while (!isDone) {
      const from = performance.now()
      await once()
      longest[name] = Math.max(longest[name] ?? 0, performance.now() - from)
    }
  }
  const running = Promise.all(lanes.map(run))
  const result = await work().finally(() => {
    isDone = true
  })
  await running
  return { result, longest }
}
