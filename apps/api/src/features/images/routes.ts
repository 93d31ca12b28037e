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

export function imageRoutes({ route }: Router<Callers>, { chat, db }: Pick<Deps, 'chat' | 'db'>) {
  const read = createImageCache(chat)
  const answer = async (asked: Parameters<typeof read>[0], cachedBy: 'private' | 'public') => {
    const { type, bytes } = await read(asked)
    const headers = {
      'content-type': type,
      'content-length': bytes.length,
      // Another image has another hash.
      'cache-control': `${cachedBy}, max-age=604800, immutable`,
    }
    return new Answer(200, undefined, headers, Readable.from([bytes]))
  }
  // Private, because only administrators may see members.
  route(images.getImage, ({ params: { kind, id: ownerId, hash } }) =>
    answer({ kind, ownerId, hash }, 'private'),
  )
  route(images.getServerIcon, async ({ params: { serverId, hash } }) => {
    const server = await findServerIcon(db, serverId)
    // Strangers must not make the service request images with made-up names.
    if (!server || iconHash(serverId, server.icon) !== hash) throw new ApiError('IMAGE_NOT_FOUND')
    return answer({ kind: 'icons', ownerId: serverId, hash }, 'public')
  })
}
