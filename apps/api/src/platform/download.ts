import { Readable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Answer } from './http/answer.ts'

/** A file that is created while the client downloads it. */
export interface Download {
  /** The file name without date and extension. */
  readonly filename: string
  readonly kind: { readonly extension: string; readonly mediaType: string }
  readonly chunks: AsyncGenerator<string, void, void>
}

/** After this time without a read, the client counts as disconnected, and the download ends. */
const stalledMs = 60_000

/**
 * Creates the response with a file that is created while it is sent. The next chunk is created only when the client has
 * read the last one, so memory use does not grow with the file. The first chunk is created before the response begins,
 * so that a failure still becomes an error response.
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
      // Also ends the source, as soon as its current step is finished.
      chunks.return().then(
        () => done(error),
        () => done(error),
      )
    },
  })
  const next = async () => {
    // Lets other requests run between two pages, even if the source returns its pages without waiting.
    await nextTurn()
    const chunk = pending ?? (await chunks.next()).value
    pending = undefined
    return chunk
  }
  return readable
}
