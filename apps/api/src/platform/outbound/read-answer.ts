/**
 * The body of an answer; undefined when it is longer than `maxBytes`. Given up as soon as `signal` aborts: the signal that
 * `fetch` was given does not do that for sure. Up to Node.js 22 and with `redirect: 'error'` a garbage collection loses it
 * once the headers are there (as in nodejs/undici#3644), and a body that stands still is waited for for five minutes.
 *
 * @throws the reason of `signal`, or what broke the connection
 */
export async function readAnswer(
  { body }: Response,
  signal: AbortSignal,
  maxBytes: number,
): Promise<Buffer | undefined> {
  signal.throwIfAborted()
  if (!body) return Buffer.alloc(0)
  const reader: ReadableStreamDefaultReader<Uint8Array> = body.getReader()
  const giveUp = () => void reader.cancel().catch(() => {})
  signal.addEventListener('abort', giveUp)
  const parts: Uint8Array[] = []
  let length = 0
  try {
    for (;;) {
      const { done, value } = await reader.read()
      signal.throwIfAborted()
      if (done) return Buffer.concat(parts)
      length += value.length
      if (length > maxBytes) return undefined
      parts.push(value)
    }
  } finally {
    signal.removeEventListener('abort', giveUp)
    // Whoever stops reading lets go of the connection.
    giveUp()
  }
}
