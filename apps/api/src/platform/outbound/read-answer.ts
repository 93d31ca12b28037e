/**
 * Returns the body of a response, or undefined if it is longer than `maxBytes`. Stops as soon as `signal` aborts.
 *
 * The signal that was passed to `fetch` is not reliable: up to Node.js 22 and with `redirect: 'error'`, garbage
 * collection can lose it once the headers have arrived (as in nodejs/undici#3644). The wait for a stalled body then
 * lasts five minutes.
 *
 * @throws the reason of `signal`, or the error of the connection
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
    // Releases the connection, however the loop ended.
    giveUp()
  }
}
