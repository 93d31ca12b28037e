import type { ChatPlatform } from '#chat/chat-platform'
import { createMemoryCache } from '#platform/cache/memory-cache'
import type { Log } from '#platform/log'
import type { Config } from '../config.ts'
import { createConfiguredChat } from '../wiring/configured-chat.ts'

/** Creates the Discord client of a command. It shares its request budget with no other process. */
export const chatFor = (config: Config, log: Log): ChatPlatform =>
  createConfiguredChat(config, { log, cache: createMemoryCache() })
