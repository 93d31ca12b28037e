import { isUtf8 } from 'node:buffer'
import { ApiError } from './api-error.ts'

/**
 * Parses a JSON body as it was sent. `__proto__` becomes an own key, which schemas then refuse.
 * @throws UNSUPPORTED_MEDIA_TYPE, MALFORMED_JSON
 */
export function readBody(
  contentType: string | undefined,
  encoding: string | undefined,
  raw: unknown,
): unknown {
  const bytes = Buffer.isBuffer(raw) ? raw : Buffer.alloc(0)
  const mediaTypeEnd = contentType?.indexOf(';') ?? -1
  const mediaType = mediaTypeEnd < 0 ? contentType : contentType?.slice(0, mediaTypeEnd).trimEnd()
  if (mediaType?.toLowerCase() !== 'application/json' || (encoding && encoding !== 'identity')) {
    throw new ApiError('UNSUPPORTED_MEDIA_TYPE')
  }
  if (!isUtf8(bytes)) throw new ApiError('MALFORMED_JSON', { detail: 'The request body is not UTF-8.' })
  try {
    return JSON.parse(bytes.toString())
  } catch {
    throw new ApiError('MALFORMED_JSON')
  }
}
