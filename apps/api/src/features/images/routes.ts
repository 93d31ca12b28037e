import { Readable } from 'node:stream'
import { images } from '@rolecall/contract'
import { Answer } from '#platform/http/answer'
import type { Router } from '#platform/http/router'
import type { Deps } from '../../deps.ts'
import type { Callers } from '../callers.ts'
import { createImageCache } from './image-cache.ts'

export function imageRoutes({ route }: Router<Callers>, { chat }: Pick<Deps, 'chat'>) {
  const read = createImageCache(chat)
  route(images.getImage, async ({ params: { kind, id: ownerId, hash } }) => {
    const { type, bytes } = await read({ kind, ownerId, hash })
    const headers = {
      'content-type': type,
      'content-length': bytes.length,
      // Another picture has another hash. Private: who sees members is who may administer.
      'cache-control': 'private, max-age=604800, immutable',
    }
    return new Answer(200, undefined, headers, Readable.from([bytes]))
  })
}
