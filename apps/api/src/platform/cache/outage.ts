/**
 * Error replies with which a server refuses all commands, or all commands of this client. Any other error reply, such
 * as WRONGTYPE, concerns a single key, and does not mean that the cache is down.
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

/** Returns true if the error means that the cache cannot be used. */
export function isOutage(error: unknown): boolean {
  return !isReply(error) || outageReplies.has(replyCode(error))
}

/** The beginning of the client's message for a command without a connection. It says nothing to an operator. */
const notConnected = "Stream isn't writeable"

/**
 * Returns the reason of a failure for the log. For an error reply, the reason is only its first word: some servers
 * repeat an unknown command in the reply, and the command may contain the password.
 */
export function reasonOf(error: unknown): string {
  if (isReply(error)) return replyCode(error)
  if (!(error instanceof Error)) return 'unknown'
  if (error.message.startsWith(notConnected)) return 'not connected'
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message
}

/** Returns true if the server replied with an error. All other errors come from the connection. */
export const isReply = (error: unknown): error is Error =>
  error instanceof Error && error.name === 'ReplyError'

const replyCode = (error: Error): string => error.message.split(' ', 1)[0]?.slice(0, 32) ?? ''
