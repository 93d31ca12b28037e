import { type ChatImage, type ChatImageName, type ChatPlatform, ChatPlatformError } from '#chat/chat-platform'
import { ApiError } from '#platform/http/api-error'
import { chatPlatformUnavailable } from '#platform/http/problem'

/** Of all pictures that an instance keeps. */
const maxBytes = 16 * 1024 * 1024
/** What keeping a picture costs besides its bytes. */
const entryBytes = 200
/** A picture that is not there may be tomorrow. */
const absentMs = 5 * 60_000
/** Names that anybody can make up push out each other, and no picture. */
const maxAbsent = 1_000
/** Questions that are under way at once, and those that wait for one of them. */
const maxAtOnce = 8
const maxWaiting = 200

/** Pictures of the platform, each asked for once, however many want it; those not used for longest go first. */
export function createImageCache(chat: Pick<ChatPlatform, 'image'>) {
  /** In the order of their last use. */
  const kept = new Map<string, ChatImage>()
  /** When each was last looked for in vain, oldest first. */
  const absent = new Map<string, number>()
  const asking = new Map<string, Promise<ChatImage | undefined>>()
  const waiting: (() => void)[] = []
  let bytes = 0
  let underWay = 0

  const sizeOf = (image: ChatImage) => image.bytes.length + entryBytes
  const forget = (name: string) => {
    const image = kept.get(name)
    if (!image) return
    kept.delete(name)
    bytes -= sizeOf(image)
  }
  const keep = (name: string, image: ChatImage) => {
    forget(name)
    kept.set(name, image)
    bytes += sizeOf(image)
    for (const oldest of kept.keys()) {
      if (bytes <= maxBytes) break
      forget(oldest)
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
        throw new ChatPlatformError(
          'unavailable',
          'More pictures are waited for than the platform is asked for.',
        )
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
