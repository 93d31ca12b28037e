import { type ChatImage, type ChatImageName, type ChatPlatform, ChatPlatformError } from '#chat/chat-platform'
import { ApiError } from '#platform/http/api-error'
import { chatPlatformUnavailable } from '#platform/http/problem'

/** The maximum size of all cached images on this instance, in bytes. */
const maxBytes = 16 * 1024 * 1024
/** The size of a cache entry in bytes, besides the image itself. */
const entryBytes = 200
/** The time for which the name of a missing image is remembered. The image may exist later. */
const absentMs = 5 * 60_000
/** The maximum number of remembered names of missing images. They are not in the cache of images, and evict none. */
const maxAbsent = 1_000
/** The maximum number of concurrent requests for images to Discord. */
const maxAtOnce = 8
/** The maximum number of images that wait for a request to finish. */
const maxWaiting = 200

/**
 * Creates the cache of Discord's images. It requests each image once, regardless of how many clients wait for it. It
 * evicts the least recently used images first.
 */
export function createImageCache(chat: Pick<ChatPlatform, 'image'>) {
  /** The cached images, in the order of their last use. */
  const kept = new Map<string, ChatImage>()
  /** The time of the last lookup of each missing image, oldest first. */
  const absent = new Map<string, number>()
  /** The requests in progress. */
  const inProgress = new Map<string, Promise<ChatImage | undefined>>()
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
  /** Runs a request when fewer than `maxAtOnce` are in progress. */
  const limitConcurrency = async <T>(load: () => Promise<T>): Promise<T> => {
    if (underWay >= maxAtOnce) {
      if (waiting.length >= maxWaiting)
        throw new ChatPlatformError('unavailable', 'Too many images are waiting for Discord.')
      await new Promise<void>((resolve) => waiting.push(resolve))
    } else underWay += 1
    try {
      return await load()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else underWay -= 1
    }
  }
  const fetchImage = async (name: string, imageName: ChatImageName) => {
    const image = await limitConcurrency(() => chat.image(imageName))
    if (image) keep(name, image)
    else noteAbsent(name)
    return image
  }

  /**
   * Returns an image.
   *
   * @throws IMAGE_NOT_FOUND, CHAT_PLATFORM_UNAVAILABLE
   */
  return async (imageName: ChatImageName): Promise<ChatImage> => {
    const name = `${imageName.kind}/${imageName.ownerId}/${imageName.hash}`
    const known = kept.get(name)
    if (known) {
      keep(name, known)
      return known
    }
    if (performance.now() - (absent.get(name) ?? Number.NEGATIVE_INFINITY) < absentMs)
      throw new ApiError('IMAGE_NOT_FOUND')
    const pending = inProgress.get(name) ?? fetchImage(name, imageName).finally(() => inProgress.delete(name))
    inProgress.set(name, pending)
    const image = await pending.catch((error: unknown) => {
      throw error instanceof ChatPlatformError ? chatPlatformUnavailable(error) : error
    })
    if (!image) throw new ApiError('IMAGE_NOT_FOUND')
    return image
  }
}
