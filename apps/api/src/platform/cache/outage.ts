/** No answer within the deadline. */
export class LateError extends Error {
  override readonly name = 'LateError'
}

/**
 * The promise's outcome, or a LateError after `deadlineMs`.
 *
 * The refusal is put off until the event loop has read its sockets once more: after it was blocked for longer
 * than the deadline, timers run before the answers that have long arrived, and the cache is not to blame.
 */
export function within<T>(deadlineMs: number, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const late = () => reject(new LateError(`no answer within ${deadlineMs} ms`))
    const timer = setTimeout(() => setImmediate(late), deadlineMs)
    promise.then(
      (value) => {
        clearTimeout(timer)
        resolve(value)
      },
      (error: unknown) => {
        clearTimeout(timer)
        reject(error)
      },
    )
  })
}

/**
 * The replies by which a server says that it cannot do its work now, or not for us. Any other error reply
 * (WRONGTYPE, say) is about one key and must not close the cache for all.
 */
const outageReplies = new Set([
  'BUSY',
  'CLUSTERDOWN',
  'LOADING',
  'MASTERDOWN',
  'MISCONF',
  'MOVED',
  'NOAUTH',
  'NOPERM',
  'NOREPLICAS',
  'OOM',
  'READONLY',
  'WRONGPASS',
])

export function isOutage(error: unknown): boolean {
  return !isReply(error) || outageReplies.has(replyCode(error))
}

/**
 * What the log may say about a failure. Of an error reply only its first word: some servers quote the command
 * they did not understand, and that command may be the one with the password.
 */
export function reasonOf(error: unknown): string {
  if (isReply(error)) return replyCode(error)
  if (!(error instanceof Error)) return 'unknown'
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message
}

export const isReply = (error: unknown): error is Error =>
  error instanceof Error && error.name === 'ReplyError'

const replyCode = (error: Error): string => error.message.split(' ', 1)[0]?.slice(0, 32) ?? ''
