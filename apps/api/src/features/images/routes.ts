import { Readable } from 'node:stream'
import { images } from '@rolecall/contract'
import { Answer } from '#platform/http/answer'
import { ApiError } from '#platform/http/api-error'
import type { Router } from '#platform/http/router'
import type { Callers } from '../../callers/callers.ts'
import type { Deps } from '../../deps.ts'
import { iconHash } from '../../pages/icon-hash.ts'
import { createImageCache } from './image-cache.ts'
import { findServerIcon } from './store.ts'

/** Registers the endpoints that serve Discord's images, so that browsers send no requests to Discord. */
export function imageRoutes({ route }: Router<Callers>, { chat, db }: Pick<Deps, 'chat' | 'db'>) {
  const read = createImageCache(chat)
  const answer = async (asked: Parameters<typeof read>[0], cachedBy: 'private' | 'public') => {
    const { type, bytes } = await read(asked)
    const headers = {
      'content-type': type,
      'content-length': bytes.length,
      // A changed image has another hash in its address, so a response can be cached for long.
      'cache-control': `${cachedBy}, max-age=604800, immutable`,
    }
    return new Answer(200, undefined, headers, Readable.from([bytes]))
  }
  // Shared caches must not store these images, because only administrators may see members.
  route(images.getImage, ({ params: { kind, id: ownerId, hash } }) =>
    answer({ kind, ownerId, hash }, 'private'),
  )
  route(images.getServerIcon, async ({ params: { serverId, hash } }) => {
    const server = await findServerIcon(db, serverId)
    // The hash must be the current one. Otherwise strangers could make the service request images with invented names.
    if (!server || iconHash(serverId, server.icon) !== hash) throw new ApiError('IMAGE_NOT_FOUND')
    return answer({ kind: 'icons', ownerId: serverId, hash }, 'public')
  })
}
