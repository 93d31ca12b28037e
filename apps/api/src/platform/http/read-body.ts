import { isUtf8 } from 'node:buffer'
import { DuplicateKey, parseExactly } from '@rolecall/tenant-schema'
import { ApiError } from './api-error.ts'

/**
 * Parses a JSON body as it was sent: numbers that a double does not hold are `ExactNumber`s, which no schema of
 * the contract takes for numbers. `__proto__` becomes an own key, which schemas then refuse.
 * @throws UNSUPPORTED_MEDIA_TYPE, MALFORMED_JSON
 */
export function readBody(
  contentType: string | undefined,
  encoding: string | undefined,
  raw: unknown,
): unknown {
  return parseBody(readBodyText(contentType, encoding, raw))
}

/**
 * The text of a body that says it is JSON.
 * @throws UNSUPPORTED_MEDIA_TYPE, MALFORMED_JSON
 */
export function readBodyText(
  contentType: string | undefined,
  encoding: string | undefined,
  raw: unknown,
): string {
  const bytes = Buffer.isBuffer(raw) ? raw : Buffer.alloc(0)
  if (!isJson(contentType, encoding)) throw new ApiError('UNSUPPORTED_MEDIA_TYPE')
  if (!isUtf8(bytes)) throw new ApiError('MALFORMED_JSON', { detail: 'The request body is not UTF-8.' })
  return bytes.toString()
}

/** True when a body says that it is JSON, and is sent as it is. */
export function isJson(contentType: string | undefined, encoding: string | undefined): boolean {
  if (encoding && encoding !== 'identity') return false
  if (contentType === 'application/json') return true
  return mediaTypeOf(contentType) === 'application/json'
}

/** Returns a media type in lower case, without its parameters. */
export function mediaTypeOf(contentType: string | undefined): string | undefined {
  const end = contentType?.indexOf(';') ?? -1
  return (end < 0 ? contentType : contentType?.slice(0, end).trimEnd())?.toLowerCase()
}

/** @throws MALFORMED_JSON */
export function parseBody(text: string): unknown {
  try {
    return parseExactly(text)
  } catch (error) {
    // Whoever reads the body after us may take the other one of the two.
    const detail = 'An object of the request body has the same key twice.'
    throw new ApiError('MALFORMED_JSON', error instanceof DuplicateKey ? { detail } : {})
  }
}
