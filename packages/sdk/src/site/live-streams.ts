/**
 * The maximum number of streams per session. The tabs of a browser share one stream, but a stream may stay open for a
 * while after its connection was cut.
 */
const maxOfSession = 8
/** The maximum number of streams in one process at a time. Each takes a connection and a few kilobytes of memory. */
const maxInAll = 10_000

interface OpenStream {
  readonly key: string
  readonly end: () => void
}

/** The streams that this process has open. */
export type LiveStreams = ReturnType<typeof createLiveStreams>

/**
 * Limits the number of streams in a session and in the process: beyond a limit, it ends the oldest stream. If a browser
 * still uses that stream, it reconnects.
 */
export function createLiveStreams(limits = { ofSession: maxOfSession, inAll: maxInAll }) {
  // A Set keeps the order of insertion, so the oldest stream comes first.
  const all = new Set<OpenStream>()
  const bySession = new Map<string, Set<OpenStream>>()
  const remove = (stream: OpenStream) => {
    all.delete(stream)
    const same = bySession.get(stream.key)
    same?.delete(stream)
    if (same?.size === 0) bySession.delete(stream.key)
  }
  const endOldest = (streams: Set<OpenStream>, limit: number) => {
    for (const stream of streams) {
      if (streams.size <= limit) return
      remove(stream)
      stream.end()
    }
  }
  return {
    /**
     * Adds a stream. Returns a function that the stream must call when it ends.
     *
     * @param key identifies the session
     * @param end ends the stream
     */
    open(key: string, end: () => void): () => void {
      const stream = { key, end }
      const same = (bySession.get(key) ?? new Set<OpenStream>()).add(stream)
      bySession.set(key, same)
      all.add(stream)
      endOldest(same, limits.ofSession)
      endOldest(all, limits.inAll)
      return () => remove(stream)
    },
  }
}
