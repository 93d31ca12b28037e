/** One frame of an event stream. A heartbeat is a frame with only a comment. */
export interface Frame {
  readonly id?: string
  readonly event?: string
  readonly data?: string
  readonly retry?: string
  readonly comment?: string
}

/**
 * The maximum length of a frame, far above any of the service. A longer one of another server must not fill the memory.
 */
const maxFrameLength = 1024 * 1024

/**
 * Reads the frames of a stream of Server-Sent Events to its end, and calls `onChunk` for each chunk. The time is linear
 * in the length of the stream, regardless of the size of its chunks.
 *
 * @throws Error when a frame is longer than 1 MiB.
 */
export async function* readFrames(
  body: ReadableStream<Uint8Array>,
  onChunk: () => void,
): AsyncGenerator<Frame, void, undefined> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let parts: string[] = []
  let length = 0
  const frameOf = (last: string): Frame => {
    const lines = [...parts, last].join('').split('\n')
    parts = []
    length = 0
    return Object.fromEntries(lines.map(splitField))
  }
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      onChunk()
      let text = decoder.decode(value, { stream: true })
      // Prepends the line break that may have ended the frame, because the empty line after it may be in this chunk.
      if (parts.at(-1)?.endsWith('\n')) {
        text = `\n${text}`
        parts.push(parts.pop()?.slice(0, -1) ?? '')
      }
      const frames = text.split('\n\n')
      const rest = frames.pop() ?? ''
      for (const frame of frames) yield frameOf(frame)
      if (rest !== '') parts.push(rest)
      length += rest.length
      if (length > maxFrameLength) throw new Error('A frame of the event stream is longer than 1 MiB.')
    }
  } finally {
    // Closes the connection when the consumer stops reading. A failed connection is already closed.
    await reader.cancel().catch(() => {})
  }
}

/** Splits `name: value`. A comment has no name. */
function splitField(line: string): [string, string] {
  const cut = line.indexOf(':')
  const name = cut < 0 ? line : line.slice(0, cut)
  return [name || 'comment', cut < 0 ? '' : line.slice(cut + 1).trimStart()]
}
