import cluster from 'node:cluster'
import { adminStream as contract } from '@rolecall/contract'
import type { FastifyInstance } from 'fastify'
import { allowErasure, eraseMemberFromEntries } from '#audit/erase-entries'
import { eraseDeliveries } from '#deliveries/log-store'
import { eraseFromMirror, lockMember } from '#mirror/erase-store'
import { createMemberSyncs } from '#mirror/rest/member-syncs'
import { Front } from '#platform/http/front'
import type { Lifecycle } from '#platform/http/lifecycle'
import type { NodeInternals } from '#platform/http/node-internals'
import { createBodyReader } from '#platform/http/read-bytes'
import { createRequestIds } from '#platform/http/request-id'
import { createResponder } from '#platform/http/responder'
import { type Authenticators, createRouter } from '#platform/http/router'
import { createServer, refuseWith } from '#platform/http/server'
import { workersMetrics } from '#platform/metrics/cluster-metrics'
import { createRequestMetrics } from '#platform/metrics/request-metrics'
import { createTally } from '#platform/metrics/tally'
import { addressBucket } from '#platform/rate-limit/address-bucket'
import { createRateLimiter } from '#platform/rate-limit/rate-limiter'
import type { Callers } from './callers/callers.ts'
import type { Deps } from './deps.ts'
import { planInitialAccess } from './features/access/initial-access.ts'
import { accessRoutes } from './features/access/routes.ts'
import { eraseTrailActor, listMappings } from './features/access/store.ts'
import { accountRoutes } from './features/account/routes.ts'
import { adminStreamRoutes } from './features/admin-stream/routes.ts'
import { createDownloads } from './features/audit/open-download.ts'
import { auditRoutes } from './features/audit/routes.ts'
import { blockRoutes } from './features/blocks/routes.ts'
import { eraseBlock, findBlock } from './features/blocks/store.ts'
import { chatServerRoutes } from './features/chat-servers/routes.ts'
import { consoleRoutes } from './features/console/routes.ts'
import { docsRoutes } from './features/docs/routes.ts'
import { openSite } from './features/docs/site-files.ts'
import { changedKeys } from './features/encryption-keys/check-fingerprints.ts'
import { findProjectsThatKnew, insertErased } from './features/events/erasure-store.ts'
import { eventRoutes } from './features/events/routes.ts'
import { explainRoutes } from './features/explain/routes.ts'
import { forwardAuthRoutes } from './features/forward-auth/routes.ts'
import { complaintsAboutHosts, setRule } from './features/forward-auth/set-rule.ts'
import { listForwardAuth } from './features/forward-auth/store.ts'
import { healthRoutes } from './features/health/routes.ts'
import { imageRoutes } from './features/images/routes.ts'
import { createBrowserLogin } from './features/login/browser-login.ts'
import { refusalPage } from './features/login/refusal-page.ts'
import { loginRoutes } from './features/login/routes.ts'
import { memberRoutes } from './features/members/routes.ts'
import { createHeartbeat } from './features/monitoring/heartbeat.ts'
import { createMetrics } from './features/monitoring/metrics.ts'
import { metricsRoute } from './features/monitoring/metrics-route.ts'
import { noteRefusedLogin } from './features/monitoring/note-refused-login.ts'
import { createObserver } from './features/monitoring/observer.ts'
import type { Recorder } from './features/monitoring/recorder.ts'
import { monitoringRoutes } from './features/monitoring/routes.ts'
import { eraseFailures } from './features/monitoring/store.ts'
import { notificationRoutes } from './features/notifications/routes.ts'
import { eraseName } from './features/notifications/store.ts'
import { completeInteraction } from './features/oidc/complete-interaction.ts'
import { deleteConsent, eraseConsents, listConsents } from './features/oidc/consents-store.ts'
import { eraseRecords } from './features/oidc/records-store.ts'
import { oidcRoutes } from './features/oidc/routes.ts'
import { readOwnData } from './features/personal-data/read-data.ts'
import { personalDataRoutes } from './features/personal-data/routes.ts'
import { profileRoutes } from './features/profile/routes.ts'
import { liveRoles } from './features/project-reads/live-member.ts'
import { projectReadRoutes } from './features/project-reads/routes.ts'
import { readOutgoingUrl } from './features/projects/outgoing-address.ts'
import { eraseOwner } from './features/projects/owner-store.ts'
import { projectRoutes } from './features/projects/routes.ts'
import { refusedLoginRoutes } from './features/refused-logins/routes.ts'
import {
  checkOwnerFields,
  isAdministrator,
  isAuditor,
  isSystemAdmin,
} from './features/sessions/administrators.ts'
import { createKeyAuthenticator, createKeyCheck } from './features/sessions/authenticate-key.ts'
import { createSessionAuthenticators } from './features/sessions/authenticate-session.ts'
import {
  endClientSession,
  endClientSessionsOf,
  extendClientSession,
  extendSteps,
  insertClientSession,
} from './features/sessions/client-sessions-store.ts'
import { endEverySession } from './features/sessions/end-every-session.ts'
import { eraseSessions } from './features/sessions/erase-sessions.ts'
import { redeem } from './features/sessions/exchange-code.ts'
import { createSessionChanges } from './features/sessions/gathered-changes.ts'
import { describeEnded } from './features/sessions/own-sessions.ts'
import { endOwnSession, listLiveSessions } from './features/sessions/own-sessions-store.ts'
import { endReusedClientSession } from './features/sessions/record-reuse.ts'
import { sessionRoutes } from './features/sessions/routes.ts'
import { revokeSessionById } from './features/sessions/store.ts'
import { settingsRoutes } from './features/settings/routes.ts'
import { eraseWriter } from './features/settings/store.ts'
import { planWebhook } from './features/webhooks/create-webhook.ts'
import { webhookRoutes } from './features/webhooks/routes.ts'
import { explainedDecisions } from './wiring/explained-decisions.ts'

/** The maximum number of members that one administrator may refresh from Discord per minute. */
const refreshesPerMinute = 30
/**
 * The maximum number of explanations of members that one administrator may request per minute. Each one sends a
 * request to Discord.
 */
const explanationsPerMinute = 120

interface AppTerms {
  /** Overrides the time after which a client that reads no output is disconnected. */
  readonly stalledMs?: number | undefined
  /** Replacements for the internals of Node.js, if these failed the check at the start of the process. */
  readonly internals?: NodeInternals | undefined
}

/**
 * Creates the whole HTTP service from its dependencies. Does not listen yet. Uses no global state, so that a process
 * can have several.
 */
export function createApp(
  deps: Deps,
  recorder: Recorder,
  lifecycle: Lifecycle,
  { stalledMs, internals }: AppTerms = {},
): FastifyInstance {
  const { config, log, db } = deps
  const bodies = createBodyReader()
  const front = new Front(bodies)
  const requestId = createRequestIds()
  const app = createServer({ ...config, stalledMs, internals }, { lifecycle, log, front, requestId })
  deps.tracing?.watch(app)
  const requests = createRequestMetrics()
  const counts = { oidc: createTally(), hosts: createTally(), deliveries: deps.deliveries.attempts }
  const { registry, countFailure } = createMetrics(deps, recorder, requests, counts)
  const respond = createResponder({
    writes: deps.answers,
    publicUrl: config.publicUrl,
    log,
    observer: createObserver({ recorder, requests, countFailure }),
    refusalPage,
  })
  refuseWith(app, respond)

  const checkKey = createKeyCheck(deps)
  const { stillAdmits, ...bySession } = createSessionAuthenticators(deps)
  const authenticators: Authenticators<Callers> = {
    none: (request) => ({ bucket: addressBucket(request.ip) }),
    projectKey: createKeyAuthenticator(checkKey),
    ...bySession,
  }
  const { limiter, pressure } = deps
  const router = createRouter<Callers>({
    ...{ app, authenticators, limiter, respond, bodies, pressure, requestId },
    checkCaller: checkOwnerFields,
    // Spans begin and end in hooks of the framework, so every request must pass them.
    front: deps.tracing ? undefined : front,
  })
  let endWatch = () => {}
  app.addHook('onListen', async () => {
    endWatch = pressure.watch()
  })
  app.addHook('onClose', async () => endWatch())

  // Sign-in and sessions.
  const sessionDeps = { ...deps, ...createSessionChanges(db) }
  const noteRefusal = noteRefusedLogin({ recorder, countFailure })
  loginRoutes(router, deps, {
    isAdministrator: (member) => isAdministrator(deps, member),
    redeemAdminCode: (code, terms, client) => redeem(sessionDeps, code, terms, client),
    findBlock,
    noteRefusal,
    endSession: (tx, sessionId) => revokeSessionById(tx, sessionId, 'logout'),
    completeInteraction,
  })
  const browserLogin = createBrowserLogin({ ...deps, findBlock, noteRefusal })
  const oidc = oidcRoutes(router, {
    ...deps,
    login: browserLogin,
    counts: { answers: counts.oidc },
    documents: { readUrl: (text) => readOutgoingUrl(text, config), get: deps.get },
    sessions: {
      open: insertClientSession,
      extend: extendClientSession,
      extendSteps,
      end: endClientSession,
      endReused: (sessionId, reuse, client) => endReusedClientSession(deps, sessionId, reuse, client),
    },
  })
  app.addHook('onListen', async () => void oidc.start())
  app.addHook('onClose', async () => oidc.close())
  sessionRoutes(router, sessionDeps)
  blockRoutes(router, deps, { endEverySession })
  // Projects: their settings, access, reads, webhooks, and events.
  projectRoutes(router, deps, {
    planInitialAccess,
    planWebhook: (wanted) => planWebhook(deps, wanted),
    listMappings: (projectIds) => listMappings(db, { projectIds }),
    listForwardAuth: async (projectIds) => {
      const rows = await listForwardAuth(db, projectIds, config.chatGuildId)
      return new Map(rows.map(({ projectId, ...rule }) => [projectId, rule]))
    },
    forwardAuthRules: {
      complaints: (input) => complaintsAboutHosts(config, input),
      set: setRule,
    },
  })
  forwardAuthRoutes(router, deps, {
    noteRefusal,
    redeem: (code, terms, client) => redeem(sessionDeps, code, terms, client, 'hostSession'),
    endSession: (projectId, digest) => sessionDeps.logOut({ projectId, digest }),
    count: counts.hosts.count,
  })
  accessRoutes(router, deps)
  projectReadRoutes(router, deps)
  const openDownload = createDownloads(deps)
  webhookRoutes(router, deps, {
    checkKey,
    openDownload,
    liveRoleIds: async (request) => (await liveRoles(deps, request))?.roles.map(({ roleId }) => roleId),
  })
  const events = eventRoutes(router, deps, { checkKey })
  // A stream would otherwise end only when its client disconnects. After the end, the client reconnects to another
  // instance.
  lifecycle.onClosing(events.close)
  const adminStream = adminStreamRoutes(router, deps, {
    stillAdmits: (caller, isThorough) => stillAdmits(caller, contract.streamAdminEvents, isThorough),
  })
  lifecycle.onClosing(adminStream.close)
  // Pages and endpoints for members and administrators.
  accountRoutes(router, deps, {
    login: browserLogin,
    listSessions: (memberId) => listLiveSessions(db, memberId),
    listConsents: (memberId) => listConsents(db, memberId),
    endSession: endOwnSession,
    describeEnded,
    endEverySession,
    deleteConsent,
    endClientSessions: endClientSessionsOf,
    readOwnData: (by) => readOwnData({ db, openDownload }, by),
  })
  auditRoutes(router, deps, { openDownload })
  notificationRoutes(router, deps)
  profileRoutes(router, {
    ...deps,
    isSystemAdmin: (caller) => isSystemAdmin(deps, caller),
    isAuditor: (caller) => isAuditor(deps, caller),
  })
  settingsRoutes(router, deps)
  const memberSyncs = createMemberSyncs(deps)
  app.addHook('onListen', () => memberSyncs.watch())
  app.addHook('onClose', () => memberSyncs.stop())
  chatServerRoutes(router, deps, { startMemberSync: memberSyncs.start })
  const refreshLimiter = createRateLimiter({
    ...{ cache: deps.cache, limit: refreshesPerMinute, windowMs: 60_000, name: 'member-refresh' },
  })
  imageRoutes(router, deps)
  memberRoutes(router, deps, { openDownload, refreshLimiter })
  refusedLoginRoutes(router, deps)
  explainRoutes(router, deps, {
    decisions: explainedDecisions(deps),
    limiter: createRateLimiter({
      ...{ cache: deps.cache, limit: explanationsPerMinute, windowMs: 60_000, name: 'explain' },
    }),
  })
  personalDataRoutes(router, deps, {
    openDownload,
    findProjectsThatKnew,
    insertErased,
    eraseSessions,
    lockMember,
    eraseName,
    allowErasure,
    eraseFromAudit: (tx, by, memberId) => eraseMemberFromEntries(tx, deps.audit.record, by, memberId),
    erasers: [
      eraseTrailActor,
      eraseWriter,
      eraseBlock,
      eraseOwner,
      eraseDeliveries,
      eraseConsents,
      eraseRecords,
      eraseFailures,
      eraseFromMirror,
    ],
  })
  // Operation: health, monitoring, documentation, and the console.
  healthRoutes(router, deps, lifecycle)
  const heartbeat = createHeartbeat(deps)
  app.addHook('onListen', () => heartbeat.start())
  app.addHook('onClose', () => heartbeat.close())
  monitoringRoutes(router, deps, {
    heartbeat,
    changedKeys: async () => (await changedKeys(db, config)).problems,
  })
  metricsRoute(router, deps, cluster.isWorker ? workersMetrics(registry) : registry)
  const site = openSite()
  docsRoutes(router, config, site)
  if (config.console) consoleRoutes(router, { hasSite: site.size > 0 })
  return app
}
