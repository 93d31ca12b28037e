import { Answer } from '#platform/http/answer'
import { isConfirmed } from '#platform/http/etag'
import type { Logo } from './logo-store.ts'

/** The time for which a logo is cached. An address with the hash of the logo (`v`) always means the same image. */
const cacheFor = { anyLogo: 'public, max-age=300', thisLogo: 'public, max-age=31536000, immutable' }

/** Returns the logo, or status 304 if the client has it already. */
export function logoResponse(
  { type, bytes, digest }: Logo,
  request: { readonly version: string | undefined; readonly ifNoneMatch: string | undefined },
): Answer {
  const etag = `"${digest}"`
  const headers = {
    etag,
    'cache-control': request.version === digest ? cacheFor.thisLogo : cacheFor.anyLogo,
  }
  if (isConfirmed(request.ifNoneMatch, etag)) return new Answer(304, undefined, headers)
  return new Answer(200, Buffer.from(bytes), { ...headers, 'content-type': type })
}
