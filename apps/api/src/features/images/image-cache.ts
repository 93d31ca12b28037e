import { type ChatImage, type ChatImageName, type ChatPlatform, ChatPlatformError } from '#chat/chat-platform'
import { ApiError } from '#platform/http/api-error'
import { chatPlatformUnavailable } from '#platform/http/problem'

/** The maximum size of all cached images of an instance. */
const maxBytes = 16 * 1024 * 1024
/** The overhead of a cache entry besides the image itself. */
const entryBytes = 200
/** The time to cache a missing image, which may exist later. */
const absentMs = 5 * 60_000
/** Made-up names evict only each other, never an image. */
const maxAbsent = 1_000
/** The maximum number of concurrent requests, and of requests that wait for one of these slots. */
const maxAtOnce = 8
const maxWaiting = 200

/**
 * Caches images of the platform. Each image is requested once, regardless of the number of clients that wait for it.
 * The least recently used images are evicted first.
 */
export function createImageCache(chat: Pick<ChatPlatform, 'image'>) {
  /** In the order of their last use. */
  const kept = new Map<string, ChatImage>()
  /** The time of the last failed lookup by image, oldest first. */
  const absent = new Map<string, number>()
  const asking = new Map<string, Promise<ChatImage | undefined>>()
  const waiting: (() => void)[] = []
  let bytes = 0
  let underWay = 0

  const sizeOf = (image: ChatImage) => image.bytes.length + entryBytes
  const evict = (name: string) => {
    const image = kept.get(name)
    if (!image) return
    kept.delete(name)
    bytes -= sizeOf(image)
  }
  const keep = (name: string, image: ChatImage) => {
    evict(name)
    kept.set(name, image)
    bytes += sizeOf(image)
    for (const oldest of kept.keys()) {
      if (bytes <= maxBytes) break
      evict(oldest)
    }
  }
  const noteAbsent = (name: string) => {
    absent.delete(name)
    absent.set(name, performance.now())
    for (const oldest of absent.keys()) {
      if (absent.size <= maxAbsent) break
      absent.delete(oldest)
    }
  }
  const inTurn = async <T>(ask: () => Promise<T>): Promise<T> => {
    if (underWay >= maxAtOnce) {
      if (waiting.length >= maxWaiting)
        throw new ChatPlatformError('unavailable', 'Too many images are waiting for the chat platform.')
      await new Promise<void>((resolve) => waiting.push(resolve))
    } else underWay += 1
    try {
      return await ask()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else underWay -= 1
    }
  }
  const ask = async (name: string, asked: ChatImageName) => {
    const image = await inTurn(() => chat.image(asked))
    if (image) keep(name, image)
    else noteAbsent(name)
    return image
  }

  /** @throws IMAGE_NOT_FOUND, CHAT_PLATFORM_UNAVAILABLE */
  return async (asked: ChatImageName): Promise<ChatImage> => {
    const name = `${asked.kind}/${asked.ownerId}/${asked.hash}`
    const known = kept.get(name)
    if (known) {
      keep(name, known)
      return known
    }
    if (performance.now() - (absent.get(name) ?? Number.NEGATIVE_INFINITY) < absentMs)
      throw new ApiError('IMAGE_NOT_FOUND')
    const answer = asking.get(name) ?? ask(name, asked).finally(() => asking.delete(name))
    asking.set(name, answer)
    const image = await answer.catch((error: unknown) => {
      throw error instanceof ChatPlatformError ? chatPlatformUnavailable(error) : error
    })
    if (!image) throw new ApiError('IMAGE_NOT_FOUND')
    return image
  }
}
