/**
 * The replies with which a server refuses all commands, or refuses this client. Any other error reply, such as
 * WRONGTYPE, concerns one key, and must not take the cache down.
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
 * Returns the reason of a failure for the log. It contains only the first word of an error reply, because some servers
 * quote an unknown command, which may contain the password.
 */
export function reasonOf(error: unknown): string {
  if (isReply(error)) return replyCode(error)
  if (!(error instanceof Error)) return 'unknown'
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message
}

export const isReply = (error: unknown): error is Error =>
  error instanceof Error && error.name === 'ReplyError'

const replyCode = (error: Error): string => error.message.split(' ', 1)[0]?.slice(0, 32) ?? ''
