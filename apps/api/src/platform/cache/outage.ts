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
