/** One frame of a stream of Server-Sent Events. A heartbeat is a frame that has only a comment. */
export interface Frame {
  readonly id?: string
  readonly event?: string
  readonly data?: string
  readonly retry?: string
  readonly comment?: string
}

/**
 * The maximum length of a frame in characters. The service's frames are far shorter. The limit prevents another server
 * from filling the memory.
 */
const maxFrameLength = 1024 * 1024

/**
 * Reads the frames of a stream of Server-Sent Events until the stream ends. Calls `onChunk` for each chunk that
 * arrives. The work is linear in the length of the stream, even if every chunk has only one byte.
 *
 * Reads what the service sends, not everything that the format permits: lines end with `\n`, and a frame has each field
 * at most once.
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
      // A frame ends with two line breaks, and the previous chunk may have ended between them. So this moves that line
      // break to the start of the new text, where `split` finds both.
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
    // Closes the connection when the consumer stops reading. Fails if the connection has failed, which is no problem.
    await reader.cancel().catch(() => {})
  }
}

/** Splits a line `name: value`. A line that begins with a colon is a comment. */
function splitField(line: string): [string, string] {
  const cut = line.indexOf(':')
  const name = cut < 0 ? line : line.slice(0, cut)
  return [name || 'comment', cut < 0 ? '' : line.slice(cut + 1).trimStart()]
}
