import { readAnswer } from '#platform/outbound/read-answer'
import { type ChatImage, type ChatPlatform, ChatPlatformError } from '../chat-platform.ts'
import { userAgent } from './user-agent.ts'

export interface DiscordImagesOptions {
  /** The base URL of Discord's image host. */
  readonly cdnUrl: string
}

/** The longest wait for an image, including its body. */
const deadlineMs = 3_000
/** The maximum size of an image in bytes. Discord's images with 128 pixels have a tenth of it. */
const maxBytes = 512 * 1024
/** The requested size in pixels: what the console shows on a high-resolution screen. */
const size = 128
/**
 * After this number of failures in a row, no requests are sent for `pauseMs`: a page has many images, and each would
 * wait. A single failure may be the fault of one image.
 */
const maxFailures = 3
const pauseMs = 5_000

/**
 * Creates the function that reads images from Discord's image host. The address contains only the kind, the ID, and the
 * hash of the image.
 */
export function createDiscordImages({ cdnUrl }: DiscordImagesOptions): ChatPlatform['image'] {
  let pausedUntil = 0
  let failures = 0
  return async ({ kind, ownerId, hash }) => {
    if (performance.now() < pausedUntil) throw unavailable()
    const url = `${cdnUrl}/${kind}/${ownerId}/${hash}.png?size=${size}`
    const signal = AbortSignal.timeout(deadlineMs)
    try {
      const response = await fetch(url, {
        headers: { 'user-agent': userAgent, accept: 'image/png,image/webp,image/jpeg,image/gif' },
        redirect: 'error',
        signal,
      })
      if (response.status >= 500 || response.status === 429) throw unavailable(response.status)
      failures = 0
      const bytes = response.ok ? await readAnswer(response, signal, maxBytes) : undefined
      if (!response.ok) await response.body?.cancel()
      const type = bytes && typeOf(bytes)
      return bytes && type && { type, bytes }
    } catch (error) {
      failures += 1
      if (failures >= maxFailures) pausedUntil = performance.now() + pauseMs
      throw error instanceof ChatPlatformError ? error : unavailable()
    }
  }
}

const unavailable = (status?: number) =>
  new ChatPlatformError('unavailable', "Discord's image host is unreachable.", status)

/**
 * The first bytes of each permitted format, in hexadecimal. They decide, and not the declared media type. SVG is not
 * permitted, because it can contain scripts.
 */
const signatures: readonly (readonly [ChatImage['type'], RegExp])[] = [
  ['image/png', /^89504e470d0a1a0a/],
  ['image/jpeg', /^ffd8ff/],
  ['image/gif', /^47494638(?:37|39)61/],
  ['image/webp', /^52494646.{8}57454250/],
]

const typeOf = (bytes: Buffer): ChatImage['type'] | undefined => {
  const start = bytes.subarray(0, 16).toString('hex')
  return signatures.find(([, pattern]) => pattern.test(start))?.[0]
}
