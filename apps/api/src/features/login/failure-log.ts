import { ChatPlatformError } from '#chat/chat-platform'
import type { Log } from '#platform/log'
import { createMinuteLog } from '#platform/minute-log'
import type { LogLoginFailure } from '../../deps.ts'

/**
 * Creates the log of failed sign-ins. It writes at most one line a minute for sign-ins that an outage of the chat
 * platform prevents, and one for requests that the platform rejects. Only a rejection is logged with a stack, because
 * it needs a fix.
 */
export function createLoginFailureLog(log: Pick<Log, 'warn'>): LogLoginFailure {
  const unavailable = createMinuteLog(log, 'sign-ins fail: Discord is unavailable')
  const refused = createMinuteLog(log, 'sign-ins fail: Discord rejects requests')
  return (error) => {
    const platformCode = error instanceof ChatPlatformError ? error.platformCode : undefined
    if (error instanceof ChatPlatformError && error.failure === 'unavailable')
      unavailable({ reason: error.message, platformCode })
    else refused({ err: error, platformCode })
  }
}
