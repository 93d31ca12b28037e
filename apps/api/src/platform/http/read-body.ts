import { isUtf8 } from 'node:buffer'
import { DuplicateKey, parseExactly } from '@rolecall/tenant-schema'
import { ApiError } from './api-error.ts'

/**
 * Parses a JSON body without losing information. A number that does not fit a double becomes an `ExactNumber`, which no
 * schema accepts as a number. The key `__proto__` becomes an own property, which schemas reject as unknown.
 *
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
 * Returns the text of a body that is declared as JSON, without parsing it.
 *
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

/** Returns true if the body is declared as JSON and is not compressed. */
export function isJson(contentType: string | undefined, encoding: string | undefined): boolean {
  if (encoding && encoding !== 'identity') return false
  if (contentType === 'application/json') return true
  return mediaTypeOf(contentType) === 'application/json'
}

/** Returns the media type in lower case, without parameters. */
export function mediaTypeOf(contentType: string | undefined): string | undefined {
  const end = contentType?.indexOf(';') ?? -1
  return (end < 0 ? contentType : contentType?.slice(0, end).trimEnd())?.toLowerCase()
}

/**
 * Parses the text of a JSON body.
 *
 * @throws MALFORMED_JSON
 */
export function parseBody(text: string): unknown {
  try {
    return parseExactly(text)
  } catch (error) {
    // Duplicate keys are rejected, because another reader of the same body might use the other value.
    const detail = 'An object of the request body has the same key twice.'
    throw new ApiError('MALFORMED_JSON', error instanceof DuplicateKey ? { detail } : {})
  }
}
