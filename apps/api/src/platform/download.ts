import { Readable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Answer } from './http/answer.ts'

export interface Download {
  /** The name without date and extension. */
  readonly filename: string
  readonly kind: { readonly extension: string; readonly mediaType: string }
  readonly chunks: AsyncGenerator<string, void, void>
}

/**
 * The time after which a client that reads nothing is considered disconnected, and the source of the file is released.
 */
const stalledMs = 60_000

/**
 * Creates the response with a file that is written while it is sent. Each chunk is created when the client has read the
 * last one, so memory use is constant. The first chunk is created before the response begins, so that an outage is a
 * 503.
 */
export async function downloadAnswer({ filename, kind, chunks }: Download): Promise<Answer> {
  const first = await chunks.next()
  const day = new Date().toISOString().slice(0, 10).replaceAll('-', '')
  const headers = {
    'content-type': kind.mediaType,
    'content-disposition': `attachment; filename="${filename}-${day}.${kind.extension}"`,
  }
  return new Answer(200, undefined, headers, stream(first.done ? undefined : first.value, chunks))
}

function stream(first: string | undefined, chunks: Download['chunks']): Readable {
  let pending = first
  let stalled: NodeJS.Timeout | undefined
  const readable = new Readable({
    highWaterMark: 64 * 1024,
    read() {
      clearTimeout(stalled)
      next().then(
        (chunk) => {
          if (readable.destroyed) return
          stalled = setTimeout(() => readable.destroy(new Error('The client stopped reading.')), stalledMs)
          stalled.unref()
          readable.push(chunk ?? null)
        },
        (error: Error) => readable.destroy(error),
      )
    },
    destroy(error, done) {
      clearTimeout(stalled)
      // Ends the source too, once its current work is finished.
      chunks.return().then(
        () => done(error),
        () => done(error),
      )
    },
  })
  const next = async () => {
    // Lets other requests run before each page, even if the source responds within the same turn of the event loop.
    await nextTurn()
    const chunk = pending ?? (await chunks.next()).value
    pending = undefined
    return chunk
  }
  return readable
}
