import type { ChatPlatform } from '#chat/chat-platform'
import { createMemoryCache } from '#platform/cache/memory-cache'
import type { Log } from '#platform/log'
import type { Config } from '../config.ts'
import { createConfiguredChat } from '../wiring/configured-chat.ts'

/** Creates the chat platform client of a command, which shares its budget with no other process. */
export const chatFor = (config: Config, log: Log): ChatPlatform =>
  createConfiguredChat(config, { log, cache: createMemoryCache() })
