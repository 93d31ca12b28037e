import { getHeapStatistics } from 'node:v8'
import { createTenantSchemas } from '@rolecall/tenant-schema/workers'
import { createChainVerifier } from '#audit/chain-verifier'
import { recordAudit } from '#audit/record'
import { instrumentChat } from '#chat/chat-instrumentation'
import type { ChatPlatform } from '#chat/chat-platform'
import { postToDiscordWebhook } from '#chat/discord/webhook/webhook'
import { createPlatformWatch } from '#chat/platform-watch'
import { createDeliveries } from '#deliveries/create-deliveries'
import { chatFigures } from '#mirror/gateway/chat-figures'
import { createLiveMirror } from '#mirror/gateway/live-mirror'
import type { MirrorMember } from '#mirror/mirror-deps'
import { mirrorMember } from '#mirror/mirror-member'
import { createMemberRefresher } from '#mirror/rest/refresh-member'
import { createRolesRefresher } from '#mirror/rest/refresh-roles'
import { syncServer } from '#mirror/rest/sync-server'
import { createCache } from '#platform/cache/create-cache'
import { uuidv7 } from '#platform/crypto/uuid'
import type { Database } from '#platform/db/database'
import { openDatabase } from '#platform/db/open-database'
import type { EmbeddedOptions } from '#platform/db/pglite'
import { watchWrites } from '#platform/db/watched-writes'
import { ApiError } from '#platform/http/api-error'
import type { Log } from '#platform/log'
import { createGet } from '#platform/outbound/create-get'
import { createPost } from '#platform/outbound/create-post'
import { createResolveHost } from '#platform/outbound/resolve-host'
import { createPressure, processReadings } from '#platform/pressure'
import { createRateLimiter } from '#platform/rate-limit/rate-limiter'
import { createRefundableQuota } from '#platform/rate-limit/refundable-quota'
import type { Tracing } from '#platform/tracing/tracing'
import { type AnswersOptions, createAnswers } from '#session-memory/answers'
import type { Config } from '../config.ts'
import type { Deps } from '../deps.ts'
import { createDryRun } from '../features/dry-run/dry-run.ts'
import { createEventKind } from '../features/events/event-kind.ts'
import { createLoginFailureLog } from '../features/login/failure-log.ts'
import { createLoginLimits } from '../features/login/login-limits.ts'
import { createNoticeKind } from '../features/notifications/notice-kind.ts'
import { notifying } from '../features/notifications/notify.ts'
import { createLogoutKind } from '../features/oidc/logout-kind.ts'
import { createProjectReads } from '../features/project-reads/read-for-project.ts'
import { openEventsSecret } from '../features/projects/events-address.ts'
import { reachOf } from '../features/projects/outgoing-address.ts'
import { readWebhookUrl } from '../features/projects/webhook-url.ts'
import {
  revokeSessionsOfDeparted,
  revokeSessionsOfOtherHosts,
  revokeSessionsOfServer,
} from '../features/sessions/end-store.ts'
import { createSettings } from '../features/settings/live-settings.ts'
import { oldSpaceLimitMb } from '../process/environment.ts'
import { createConfiguredChat } from './configured-chat.ts'

/**
 * The number of members unknown to the mirror that a project may look up per minute. A new member causes one such
 * lookup, invented IDs cause many.
 */
const strangersPerMinute = 120

/**
 * The rate limit for unknown session tokens, as a part of the rate limit of an API key. It must not be much less: when
 * all sessions of a project end at once, every visitor presents a token that is now unknown, and must get that
 * response.
 */
const unknownTokensPart = 1 / 2

/** Opens the database of the configuration. */
export const openConfiguredDatabase = (
  config: Config,
  log: Log,
  onStopped?: EmbeddedOptions['onStopped'],
): Promise<Database> => openDatabase(config.databaseUrl, { log, onStopped })

interface DepsOptions {
  readonly tracing?: Tracing | undefined
  readonly instanceId?: string
  readonly answersOptions?: AnswersOptions
}

/** Creates all dependencies of the features from the configuration. This is the composition root of the service. */
export function createDeps(
  config: Config,
  log: Log,
  opened: Database,
  { tracing, instanceId = uuidv7(), answersOptions }: DepsOptions = {},
): Deps {
  const cache = createCache(config.cacheUrl, { log })
  const answers = createAnswers(
    {
      db: opened,
      cache,
      log,
      maxBytes: answerBytes(config),
      configuredServerId: config.chatGuildId,
    },
    answersOptions,
  )
  const db = watchWrites(opened, answers.recordWrite)
  const audit = { record: notifying(recordAudit) }
  const reach = { ...reachOf(config), resolve: createResolveHost() }
  const post = createPost(reach)
  const deliveries = createDeliveries({
    db,
    claims: opened,
    instances: answers.countInstances,
    log,
    audit,
    kinds: [
      createEventKind({
        ...{ db, answers, post },
        openSecret: (projectId, sealed) => openEventsSecret(config, projectId, sealed),
      }),
      createNoticeKind({
        db,
        post: postToDiscordWebhook,
        readAddress: (projectId, sealed) => readWebhookUrl(config, projectId, sealed),
      }),
      createLogoutKind({ db, config, post }),
    ],
  })
  const settings = createSettings({ config, answers, db, cache, log })
  const platformWatch = createPlatformWatch()
  const watched = instrumentChat(createConfiguredChat(config, { log, cache }), platformWatch)
  const chat = tracing ? tracedChat(watched, tracing) : watched
  const endSessions = {
    ofMembers: revokeSessionsOfDeparted,
    ofServer: revokeSessionsOfServer,
    ofOtherHosts: revokeSessionsOfOtherHosts,
  }
  const mirrorDeps = { db, log, chat, audit, endSessions }
  const refreshRoles = createRolesRefresher({
    db,
    log,
    permissionTtlMs: () => settings.current().permissionTtlMs,
    syncServer: (serverId) => syncServer(mirrorDeps, serverId),
  })
  // An event about a member is complete only if its roles have names. At the first sign-in in a server, the names are
  // not known yet.
  const mirror: MirrorMember = async (serverId, user, member, asOf) => {
    if (member) await refreshRoles(serverId, member.roleIds)
    await mirrorMember(mirrorDeps, serverId, user, member, asOf)
    // The caller's response will report the change, so no instance may serve an older state from here on.
    await answers.confirm()
  }
  const refresher = createMemberRefresher({ db, chat, log, mirrorMember: mirror })
  const readForProject = createProjectReads({
    ...refresher,
    limiter: createRateLimiter({ cache, limit: strangersPerMinute, windowMs: 60_000, name: 'strangers' }),
  })
  const limiter = createRateLimiter({
    cache,
    limit: config.rateLimitGlobal,
    windowMs: config.rateLimitGlobalTtlMs,
  })
  const unknownTokens = createRateLimiter({
    cache,
    limit: Math.ceil(config.rateLimitGlobal * unknownTokensPart),
    windowMs: config.rateLimitGlobalTtlMs,
    name: 'unknown-tokens',
  })
  const loginLimits = createLoginLimits({
    db,
    maxAuthRequests,
    limiter: createRefundableQuota({
      cache,
      limit: loginLimitOf(config),
      windowMs: config.rateLimitGlobalTtlMs,
      name: 'login',
    }),
  })
  const liveMirror = createLiveMirror(mirrorDeps, { handoverKey: config.outboundKey })
  return {
    config,
    instanceId,
    log,
    db,
    cache,
    answers,
    limiter,
    unknownTokens,
    loginLimits,
    logLoginFailure: createLoginFailureLog(log),
    pressure: createPressure(log, processReadings(config.workers, oldSpaceLimitMb())),
    chat,
    audit,
    settings,
    endSessions,
    // A dry run is rolled back. It uses the database without `watchWrites`, because nothing needs to be invalidated.
    runDry: createDryRun(opened, config.chatGuildId),
    mirrorMember: mirror,
    refreshMember: refresher.refreshMember,
    readForProject,
    liveMirror,
    tracing,
    platformWatch,
    chatFigures: () => chatFigures({ chat, liveMirror }),
    chainVerifier: createChainVerifier({ db, log }),
    deliveries,
    get: createGet(reach),
    schemas: createTenantSchemas(tooManySchemas),
  }
}

/** Creates the error for an expensive JSON schema while too many others wait for a worker thread. */
const tooManySchemas = () =>
  new ApiError('RATE_LIMITED', {
    detail: 'Too many expensive schemas are being checked. Try again in a second.',
    headers: { 'retry-after': '1' },
  })

/**
 * Returns the size of the cache in bytes: as configured, but at most a third of the heap, which is small in a small
 * container.
 */
const answerBytes = ({ answerMemoryMb }: Config) =>
  Math.min(answerMemoryMb * 1024 * 1024, getHeapStatistics().heap_size_limit / 3)

/**
 * The maximum number of stored sign-ins in progress. Discord completes at most 50 per second, so at most 30,000 real
 * ones can be in progress during the ten minutes that a sign-in may take.
 */
const maxAuthRequests = 50_000

/**
 * Returns how many sign-ins one IP address may have open: a twentieth of its rate limit, but at least ten, for people
 * who share an address.
 */
const loginLimitOf = ({ rateLimitGlobal }: Config) =>
  rateLimitGlobal === 0 ? 0 : Math.max(10, Math.floor(rateLimitGlobal / 20))

const tracedChat = (chat: ChatPlatform, { around }: Tracing) =>
  instrumentChat(chat, { run: (operation, ask) => around(`chat ${operation}`, {}, ask), received: () => {} })
