import cluster from 'node:cluster'
import type { FastifyInstance } from 'fastify'
import { createMemberSyncs } from '#mirror/rest/member-syncs'
import { Front } from '#platform/http/front'
import type { Lifecycle } from '#platform/http/lifecycle'
import { createBodyReader } from '#platform/http/read-bytes'
import { createRequestIds } from '#platform/http/request-id'
import { createResponder } from '#platform/http/responder'
import { type Authenticators, createRouter } from '#platform/http/router'
import { createServer, refuseWith } from '#platform/http/server'
import { workersMetrics } from '#platform/metrics/cluster-metrics'
import { createRequestMetrics } from '#platform/metrics/request-metrics'
import { addressBucket } from '#platform/rate-limit/address-bucket'
import { createRateLimiter } from '#platform/rate-limit/rate-limiter'
import type { Deps } from './deps.ts'
import { planInitialAccess } from './features/access/initial-access.ts'
import { accessRoutes } from './features/access/routes.ts'
import { listMappings } from './features/access/store.ts'
import { createDownloads } from './features/audit/open-download.ts'
import { auditRoutes } from './features/audit/routes.ts'
import type { Callers } from './features/callers.ts'
import { chatServerRoutes } from './features/chat-servers/routes.ts'
import { findAdminServer } from './features/chat-servers/store.ts'
import { docsRoutes } from './features/docs/routes.ts'
import { eventRoutes } from './features/events/routes.ts'
import { healthRoutes } from './features/health/routes.ts'
import { refusalPage } from './features/login/refusal-page.ts'
import { loginRoutes } from './features/login/routes.ts'
import { memberRoutes } from './features/members/routes.ts'
import { createHeartbeat } from './features/monitoring/heartbeat.ts'
import { createMetrics } from './features/monitoring/metrics.ts'
import { metricsRoute } from './features/monitoring/metrics-route.ts'
import { createObserver } from './features/monitoring/observer.ts'
import type { Recorder } from './features/monitoring/recorder.ts'
import { monitoringRoutes } from './features/monitoring/routes.ts'
import { notificationRoutes } from './features/notifications/routes.ts'
import { profileRoutes } from './features/profile/routes.ts'
import { liveRoles } from './features/project-reads/live-member.ts'
import { projectReadRoutes } from './features/project-reads/routes.ts'
import { projectRoutes } from './features/projects/routes.ts'
import { createKeyAuthenticator, createKeyCheck } from './features/sessions/authenticate-key.ts'
import { createSessionAuthenticators } from './features/sessions/authenticate-session.ts'
import { redeem } from './features/sessions/exchange-code.ts'
import { sessionRoutes } from './features/sessions/routes.ts'
import { revokeSessionById } from './features/sessions/store.ts'
import { settingsRoutes } from './features/settings/routes.ts'
import { planWebhook } from './features/webhooks/create-webhook.ts'
import { webhookRoutes } from './features/webhooks/routes.ts'

/** Members that one admin may have read again from the chat platform. */
const refreshesPerMinute = 30

/** The whole HTTP service over its dependencies. Listens nowhere and holds no globals. */
export function createApp(
  deps: Deps,
  recorder: Recorder,
  lifecycle: Lifecycle,
  /** The benchmark of what observing costs leaves it out. */
  observe: typeof createObserver = createObserver,
): FastifyInstance {
  const { config, log, db } = deps
  const front = new Front()
  const requestId = createRequestIds()
  const app = createServer(config, { lifecycle, log, front, requestId })
  deps.tracing?.watch(app)
  const requests = createRequestMetrics()
  const { registry, countFailure } = createMetrics(deps, recorder, requests)
  const respond = createResponder({
    writes: deps.answers,
    publicUrl: config.publicUrl,
    log,
    observer: observe({ recorder, requests, countFailure }),
    refusalPage,
  })
  refuseWith(app, respond)

  const checkKey = createKeyCheck(deps)
  const authenticators: Authenticators<Callers> = {
    none: (request) => ({ bucket: addressBucket(request.ip) }),
    projectKey: createKeyAuthenticator(checkKey),
    ...createSessionAuthenticators(deps),
  }
  const { limiter, pressure } = deps
  const bodies = createBodyReader()
  const router = createRouter<Callers>({
    ...{ app, authenticators, limiter, respond, bodies, pressure, requestId },
    // Traces begin and end in hooks of the framework.
    front: deps.tracing ? undefined : front,
  })
  let endWatch = () => {}
  app.addHook('onListen', async () => {
    endWatch = pressure.watch()
  })
  app.addHook('onClose', async () => endWatch())

  loginRoutes(router, deps, {
    findMainServer: (tx) => findAdminServer(tx, config.chatGuildId),
    redeemAdminCode: (code, terms, client) => redeem(deps, code, terms, client),
    endSession: (tx, sessionId) => revokeSessionById(tx, sessionId, 'logout'),
  })
  sessionRoutes(router, deps)
  projectRoutes(router, deps, {
    planInitialAccess,
    planWebhook: (wanted) => planWebhook(deps, wanted),
    listMappings: (projectIds) => listMappings(db, { projectIds }),
  })
  accessRoutes(router, deps)
  projectReadRoutes(router, deps)
  const openDownload = createDownloads(deps)
  webhookRoutes(router, deps, {
    checkKey,
    openDownload,
    liveRoleIds: async (asked) => (await liveRoles(deps, asked))?.map(({ roleId }) => roleId),
  })
  const events = eventRoutes(router, deps, { checkKey })
  // A stream ends by itself only when its client goes; its client comes back, and should come back elsewhere.
  lifecycle.onClosing(events.close)
  auditRoutes(router, deps, { openDownload })
  notificationRoutes(router, deps)
  profileRoutes(router, deps)
  settingsRoutes(router, deps)
  const memberSyncs = createMemberSyncs(deps)
  app.addHook('onListen', () => memberSyncs.watch())
  app.addHook('onClose', () => memberSyncs.stop())
  chatServerRoutes(router, deps, { startMemberSync: memberSyncs.start })
  const refreshLimiter = createRateLimiter({
    ...{ cache: deps.cache, limit: refreshesPerMinute, ttlMs: 60_000, name: 'member-refresh' },
  })
  memberRoutes(router, deps, { openDownload, refreshLimiter })
  healthRoutes(router, deps, lifecycle)
  const heartbeat = createHeartbeat(deps)
  app.addHook('onListen', () => heartbeat.start())
  app.addHook('onClose', () => heartbeat.close())
  monitoringRoutes(router, deps, heartbeat)
  metricsRoute(router, deps, cluster.isWorker ? workersMetrics(registry) : registry)
  docsRoutes(router, config.publicUrl)
  return app
}
