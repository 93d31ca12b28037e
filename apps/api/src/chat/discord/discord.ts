import {
  type APIApplication,
  type APIGuild,
  type APIGuildMember,
  type APIPartialGuild,
  type APIUser,
  ApplicationFlags,
  Routes,
} from 'discord-api-types/v10'
import type { Cache } from '#platform/cache/cache'
import type { ChatPlatform } from '../chat-platform.ts'
import { createDiscordGateway } from './gateway/gateway.ts'
import { createDiscordImages, type DiscordImagesOptions } from './images.ts'
import { createDiscordLogin, type DiscordLoginOptions } from './login/login.ts'
import { list, object, text, toMember, toServer, toServerName } from './objects.ts'
import { createBuckets } from './rest/buckets.ts'
import { createDiscordBudget } from './rest/budget.ts'
import { createExchangePace, createPace } from './rest/pace.ts'
import { createDiscordRest, type DiscordRestOptions, isNotAMember } from './rest/rest.ts'

type DiscordOptions = Omit<
  DiscordLoginOptions & DiscordRestOptions & DiscordImagesOptions,
  'budget' | 'pace' | 'exchangePace' | 'buckets'
> & {
  /** Shares Discord's remaining limits among all instances. */
  readonly cache: Cache
}

/**
 * Creates the chat platform for Discord. Only this folder uses Discord's own terms: guilds, snake_case, and its error
 * codes.
 */
export function createDiscord({ cache, ...external }: DiscordOptions): ChatPlatform {
  const budget = createDiscordBudget(external.log, cache)
  const options = {
    ...external,
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
    image: createDiscordImages(options),
    servers: async () => {
      let found: APIPartialGuild[] = []
      for (let page = 0; page < maxServerPages; page++) {
        const query = new URLSearchParams({ limit: String(serversPerPage), after: found.at(-1)?.id ?? '0' })
        const next = list(await get<APIPartialGuild[]>(Routes.userGuilds(), 'login', query))
        found = found.concat(next)
        if (next.length < serversPerPage) break
      }
      return found.map(toServerName)
    },
    // The bot needs no permission in the server, so it requests none.
    inviteUrl: () =>
      `${options.authorizeUrl}?${new URLSearchParams({ client_id: options.clientId, scope: 'bot', permissions: '0' })}`,
    budget: budget.state,
    gateway: (timing) => createDiscordGateway({ ...options, get, ...(timing && { timing }) }),
    bot: async () => text(object(await get<APIUser>(Routes.user(), 'login'), 'a user').username),
    application: async () => {
      const response = await get<APIApplication>(Routes.currentApplication(), 'login')
      const { id, redirect_uris, flags } = object(response, 'an application')
      return {
        clientId: text(id),
        callbackUrls: list(redirect_uris ?? []),
        reportsMembers: (Number(flags) & memberIntent) !== 0,
      }
    },
  }
}

/** The number of servers that Discord lists at once. No community has more than `maxServerPages` pages of them. */
const serversPerPage = 200
const maxServerPages = 10

/** The intent to receive members. Discord grants it after a review; the owner of a small application can turn it on. */
const memberIntent = ApplicationFlags.GatewayGuildMembers | ApplicationFlags.GatewayGuildMembersLimited
