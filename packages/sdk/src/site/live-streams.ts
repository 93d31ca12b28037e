/** Tabs of one browser share a stream; a person with several browsers, and one that was cut off and does not know. */
const mostOfSession = 8
/** Each holds a connection and some kilobytes. */
const mostInAll = 10_000

interface OpenStream {
  readonly key: string
  readonly end: () => void
}

/** The live sessions that are streamed from here. */
export type LiveStreams = ReturnType<typeof createLiveStreams>

/**
 * Ends the oldest stream where there are too many, of a session or in all: whoever opens one is there now, and a browser
 * whose stream ends comes back when it is still there.
 */
export function createLiveStreams(limits = { ofSession: mostOfSession, inAll: mostInAll }) {
  // In the order in which they were opened.
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
    /** Counts a stream, whose end calls what this returns. */
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
