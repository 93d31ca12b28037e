import { createHash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { Answer } from './answer.ts'
import { chooseEncoding, type Encoded } from './encodings.ts'
import { isConfirmed } from './etag.ts'

interface Form extends Encoded {
  readonly bytes: Buffer
  /**
   * The entity tag of this representation. Each representation has its own: a cache must not confirm one with the tag
   * of another.
   */
  readonly etag: string
}

type Headers = Readonly<Record<string, string>> & { readonly 'cache-control': string }

/**
 * Serves a text or file that is the same for every client until the next release. It is created and compressed once, at
 * the first request. It must contain neither secrets nor input of clients: the length of a compressed response could
 * reveal a secret.
 */
export function createPublicDocument(
  own: Headers,
  make: () => string | Buffer,
): (request: IncomingHttpHeaders) => Promise<Answer> {
  let forms: Promise<readonly Form[]> | undefined
  return async (request) => {
    forms ??= compress(make()).catch((error: unknown) => {
      // The next request tries again.
      forms = undefined
      throw error
    })
    const { encoding, bytes, etag } = chooseEncoding(await forms, request['accept-encoding'])
    const headers = { ...own, vary: 'accept-encoding', etag }
    if (isConfirmed(request['if-none-match'], etag)) return new Answer(304, undefined, headers)
    return new Answer(
      200,
      bytes,
      encoding === 'identity' ? headers : { ...headers, 'content-encoding': encoding },
    )
  }
}

/** The compression level. The two levels above take ten times as long, and save only 3 %. */
const brotliLevel = 9

/** Compresses a document in the thread pool of Node.js, so that other requests do not wait. */
async function compress(content: string | Buffer): Promise<readonly Form[]> {
  const plain = Buffer.from(content)
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: brotliLevel,
    [constants.BROTLI_PARAM_SIZE_HINT]: plain.length,
  }
  const [br, gz] = await Promise.all([
    promisify(brotliCompress)(plain, { params }),
    promisify(gzip)(plain, { level: 9 }),
  ])
  const digest = createHash('sha256').update(plain).digest('base64url')
  return [
    { encoding: 'br', bytes: br, etag: `"${digest}-br"` },
    { encoding: 'gzip', bytes: gz, etag: `"${digest}-gzip"` },
    { encoding: 'identity', bytes: plain, etag: `"${digest}"` },
  ]
}
