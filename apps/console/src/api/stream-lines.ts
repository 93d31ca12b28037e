/** Yields the lines of a response as they arrive. `onChunk` is called for every chunk, even without a whole line. */
export async function* linesOf(
  body: ReadableStream<Uint8Array>,
  onChunk: () => void,
): AsyncGenerator<string, void, undefined> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    onChunk()
    const lines = (rest + decoder.decode(value, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    yield* lines
  }
}
