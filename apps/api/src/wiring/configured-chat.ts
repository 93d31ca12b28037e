import type { ChatPlatform } from '#chat/chat-platform'
import { createDiscord } from '#chat/discord/discord'
import type { Cache } from '#platform/cache/cache'
import type { Log } from '#platform/log'
import type { Config } from '../config.ts'

/**
 * Creates the client for Discord from the configuration. Missing values are replaced by empty ones, so that a trial
 * without them can start.
 */
export const createConfiguredChat = (
  config: Config,
  { log, cache }: { readonly log: Log; readonly cache: Cache },
): ChatPlatform =>
  createDiscord({
    apiUrl: config.chatApiUrl,
    authorizeUrl: config.chatAuthorizeUrl,
    cdnUrl: config.chatCdnUrl,
    botToken: config.chatBotToken ?? '',
    clientId: config.chatClientId ?? '',
    clientSecret: config.chatClientSecret ?? '',
    callbackUrl: config.chatCallbackUrl ?? `${config.publicUrl}/api/auth/callback`,
    log,
    cache,
  })
