import {
  type APIApplication,
  type APIGuild,
  type APIGuildMember,
  type APIUser,
  ApplicationFlags,
  Routes,
} from 'discord-api-types/v10'
import type { Cache } from '#platform/cache/cache'
import type { ChatPlatform } from './chat-platform.ts'
import { createBuckets } from './discord-buckets.ts'
import { createDiscordBudget } from './discord-budget.ts'
import { createDiscordGateway } from './discord-gateway.ts'
import { createDiscordLogin, type DiscordLoginOptions } from './discord-login.ts'
import { list, text, toMember, toServer } from './discord-objects.ts'
import { createExchangePace, createPace } from './discord-pace.ts'
import { createDiscordRest, type DiscordRestOptions, isNotAMember } from './discord-rest.ts'

type DiscordOptions = Omit<
  DiscordLoginOptions & DiscordRestOptions,
  'budget' | 'pace' | 'exchangePace' | 'buckets'
> & {
  /** Where all instances agree on what is left of the platform's patience. */
  readonly cache: Cache
}

/** The one adapter that knows the platform's own words: guilds, snake_case and its error codes. */
export function createDiscord({ cache, ...given }: DiscordOptions): ChatPlatform {
  const budget = createDiscordBudget(given.log, cache)
  const options = {
    ...given,
    budget,
    pace: createPace(cache),
    exchangePace: createExchangePace(cache),
    buckets: createBuckets(cache),
  }
  const get = createDiscordRest(options)
  return {
    ...createDiscordLogin(options),
    member: async (serverId, userId, priority) => {
      try {
        return toMember(await get<APIGuildMember>(Routes.guildMember(serverId, userId), priority))
      } catch (error) {
        if (isNotAMember(error)) return undefined
        throw error
      }
    },
    server: async (serverId, priority) => toServer(await get<APIGuild>(Routes.guild(serverId), priority)),
    members: async (serverId, after, limit) => {
      const query = new URLSearchParams({ limit: String(limit), after })
      return list(await get<APIGuildMember[]>(Routes.guildMembers(serverId), 'background', query)).map(
        toMember,
      )
    },
    budget: budget.state,
    gateway: (timing) => createDiscordGateway({ ...options, get, ...(timing && { timing }) }),
    bot: async () => text((await get<APIUser>(Routes.user(), 'login')).username),
    application: async () => {
      const { id, redirect_uris, flags } = await get<APIApplication>(Routes.currentApplication(), 'login')
      return {
        clientId: text(id),
        callbackUrls: list(redirect_uris ?? []),
        mayHearOfMembers: (Number(flags) & memberIntent) !== 0,
      }
    },
  }
}

/** Granted after a review, or switched on by the owner of a small application. */
const memberIntent = ApplicationFlags.GatewayGuildMembers | ApplicationFlags.GatewayGuildMembersLimited
