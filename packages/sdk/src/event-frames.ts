/** One frame of a stream of events. A heartbeat is a frame with a comment alone. */
export interface Frame {
  readonly id?: string
  readonly event?: string
  readonly data?: string
  readonly retry?: string
  readonly comment?: string
}

/** The frames of a stream of Server-Sent Events, to its end; `onChunk` is told of whatever arrives. */
export async function* readFrames(
  body: ReadableStream<Uint8Array>,
  onChunk: () => void,
): AsyncGenerator<Frame, void, undefined> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      onChunk()
      const frames = (text + decoder.decode(value, { stream: true })).split('\n\n')
      text = frames.pop() ?? ''
      for (const frame of frames) yield Object.fromEntries(frame.split('\n').map(splitField))
    }
  } finally {
    // Whoever stops reading lets go of the connection; one that has failed is gone already.
    await reader.cancel().catch(() => {})
  }
}

/** `name: value`; a comment has no name. */
function splitField(line: string): [string, string] {
  const cut = line.indexOf(':')
  const name = cut < 0 ? line : line.slice(0, cut)
  return [name || 'comment', cut < 0 ? '' : line.slice(cut + 1).trimStart()]
}
