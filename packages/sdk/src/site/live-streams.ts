/**
 * The number of streams of a session. Tabs of one browser share a stream. A member may use several browsers, and a
 * stream with a cut connection may still be open.
 */
const maxOfSession = 8
/** The number of streams in all. Each holds a connection and a few kilobytes. */
const maxInAll = 10_000

interface OpenStream {
  readonly key: string
  readonly end: () => void
}

/** The open streams that this process has of live sessions. */
export type LiveStreams = ReturnType<typeof createLiveStreams>

/**
 * Limits the streams of a session and in all, by ending the oldest one. The newest has a browser behind it, and an open
 * browser reconnects when its stream ends.
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
  const endOldest = (streams: Set<OpenStream>, most: number) => {
    for (const stream of streams) {
      if (streams.size <= most) return
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
