/**
 * The maximum number of streams of a session. The tabs of a browser share a stream, but a stream with a cut connection
 * may still be open.
 */
const maxOfSession = 8
/** The maximum number of streams in all. Each holds a connection and a few kilobytes. */
const maxInAll = 10_000

interface OpenStream {
  readonly key: string
  readonly end: () => void
}

/** The open streams of this process, by session. */
export type LiveStreams = ReturnType<typeof createLiveStreams>

/**
 * Limits the streams of a session and in all, by ending the oldest one. A browser that still uses it reconnects.
 */
export function createLiveStreams(limits = { ofSession: maxOfSession, inAll: maxInAll }) {
  // In the order of opening.
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
    /** Counts a stream. The stream calls the returned function when it ends. */
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
