// Generated from packages/contract by `npm run docs`: not to be edited.

/** A file: a browser opens its address. */
export interface Download {
  readonly isFile: true
}

/** Server-Sent Events: name → data. */
export interface Stream<Events> {
  readonly events: Events
}

export interface Success {
  readonly success: boolean
}

export interface ChangeQuery {
  /** Tells what the change would do, and does not make it. */
  readonly dryRun?: boolean
}

/** With `dryRun=true`: what the same request would do. Nothing is changed. */
export interface DryRun {
  readonly dryRun: true
  /** Sessions that validate now, and would not any more. What only OpenID Connect or a protected host loses is counted below. */
  readonly sessionsEnded: number
  /** Members who would lose at least one of these sessions. */
  readonly membersAffected: number
  /** Sessions of OpenID Connect whose tokens count now, and would not any more, also where they are among `sessionsEnded`. */
  readonly clientSessionsEnded: number
  /** Sessions of whose end `backchannelLogoutUri` would be told. */
  readonly clientSessionsTold: number
  /** Protected hosts that let in members of a server now, and would let in nobody, or members of another server. Who would lack a role of `anyOf` is not counted. */
  readonly hostsEnded: number
  /** API keys that work now, and would not any more. */
  readonly keysEnded: number
  /** Submissions to inbound webhooks that would be deleted. */
  readonly submissionsDeleted: number
}

export interface MemberSession {
  readonly id: string
  /** A session of a project, of the administration, or the single sign-on of a browser. */
  readonly kind: 'project' | 'admin' | 'sso'
  readonly createdAt: string
  readonly expiresAt: string
  readonly projectId: string | null
  readonly serverId: string | null
  /** The browser that it was made for. */
  readonly clientInfo: {
    readonly ipAddress: string | null
    readonly userAgent: string | null
  }
  readonly projectName: string | null
}

export interface ProjectSession {
  readonly id: string
  /** `code`: a code was exchanged for it, also by a protected host. `oidc`: it was made by OpenID Connect. */
  readonly kind: 'code' | 'oidc'
  readonly memberId: string
  readonly username: string
  readonly globalName: string | null
  readonly displayName: string | null
  readonly avatar: string | null
  readonly serverId: string
  readonly serverName: string
  readonly createdAt: string
  /** When its tokens were last made: by the login, or by a refresh since. Validates are answered from memory and leave no trace. */
  readonly refreshedAt: string
  readonly expiresAt: string
  /** The browser that it was made for. */
  readonly clientInfo: {
    readonly ipAddress: string | null
    readonly userAgent: string | null
  }
}

export interface Project {
  readonly id: string
  readonly name: string
  readonly description: string | null
  readonly isActive: boolean
  /** Uses the main server without a mapping. */
  readonly isInternal: boolean
  readonly redirectUris: readonly string[]
  readonly webhookUrl: string | null
  readonly eventsUrl: string | null
  readonly eventsDisabledAt: string | null
  readonly owners: {
    /** Who holds one of these roles in the main server owns the project. */
    readonly roleIds: readonly string[]
    /** Members who own the project. */
    readonly memberIds: readonly string[]
  }
  readonly forwardAuth: ForwardAuth
  readonly apiKey: ApiKeyInfo
  readonly serverAccess: readonly AccessMapping[]
  readonly oidc: {
    /** Off, the project is no client. */
    readonly enabled: boolean
    readonly serverId: string | null
    /** Runs in a browser or an app: no secret, and PKCE always. */
    readonly publicClient: boolean
    readonly postLogoutRedirectUris: readonly string[]
    readonly backchannelLogoutUri: string | null
    /** Devices without a browser may log in by a code. */
    readonly deviceFlow: boolean
    /** Also in the ID token, where they age; userinfo is live. */
    readonly rolesInIdToken: boolean
  }
  readonly createdAt: string
  readonly updatedAt: string
}

export interface CreateProject {
  /** Something to see, without control, formatting or invisible characters, and without space around it. Kept in NFC. */
  readonly name: string
  readonly description?: string
  readonly isActive?: boolean
  readonly isInternal?: boolean
  readonly serverAccess?: readonly {
    readonly serverId: string
    readonly scopes?: readonly ('read_members' | 'check_permissions')[]
  }[]
  /** A webhook of the chat platform. */
  readonly webhookUrl?: string
  /** Receives the events of `GET /api/events` as Standard Webhooks: https to a public host, at port 443 or from 1024 on. */
  readonly eventsUrl?: string
  /** Who manages this one project; only a System Admin sets them. The list is replaced. */
  readonly owners?: {
    /** Who holds one of these roles in the main server owns the project. */
    readonly roleIds?: readonly string[]
    /** Members who own the project. */
    readonly memberIds?: readonly string[]
  }
  readonly forwardAuth?: ForwardAuthInput
  readonly inboundWebhook?: ProjectInboundWebhook
  readonly oidc?: {
    readonly enabled?: boolean
    readonly serverId?: string | null
    readonly publicClient?: boolean
    readonly postLogoutRedirectUris?: readonly string[]
    readonly backchannelLogoutUri?: string | null
    readonly deviceFlow?: boolean
    readonly rolesInIdToken?: boolean
  }
}

export interface CreatedInboundWebhook {
  readonly id: string
  readonly projectId: string
  readonly name: string
  readonly slug: string
  /** JSON Schema 2020-12, at most 64 KiB. `$ref` stays within the schema, `format` is asserted, and `pattern` is RE2 syntax, neither look-around nor back-references, that becomes at most 2,000 instructions, and 12,000 with all others of the schema. Numbers are such that every JSON reader holds them. `$id`, `$dynamicRef` and keywords that are not known are refused; `x-…` is ignored. */
  readonly schema: Readonly<Record<string, unknown>>
  readonly acceptedOrigins: readonly string[]
  readonly allowedRoleIds: readonly string[]
  readonly isActive: boolean
  readonly requireSignature: boolean
  readonly secretSetAt: string
  readonly createdAt: string
  readonly updatedAt: string
  readonly submissionCount: number
  readonly lastSubmissionAt: string | null
  /** Signs submissions; the HMAC key is this whole text. Shown this once. */
  readonly secret: string
}

export interface UpdateProject {
  /** Something to see, without control, formatting or invisible characters, and without space around it. Kept in NFC. */
  readonly name?: string
  readonly description?: string | null
  readonly isActive?: boolean
  readonly isInternal?: boolean
  readonly webhookUrl?: string | null
  readonly eventsUrl?: string | null
  /** Who manages this one project; only a System Admin sets them. The list is replaced. */
  readonly owners?: {
    /** Who holds one of these roles in the main server owns the project. */
    readonly roleIds?: readonly string[]
    /** Members who own the project. */
    readonly memberIds?: readonly string[]
  }
  readonly forwardAuth?: ForwardAuthInput
  readonly oidc?: {
    readonly enabled?: boolean
    readonly serverId?: string | null
    readonly publicClient?: boolean
    readonly postLogoutRedirectUris?: readonly string[]
    readonly backchannelLogoutUri?: string | null
    readonly deviceFlow?: boolean
    readonly rolesInIdToken?: boolean
  }
}

export interface ForwardAuth {
  /** Each belongs to one project. */
  readonly hosts: readonly string[]
  readonly serverId: string | null
  /** Roles, one of which is needed; empty: any member. */
  readonly anyOf: readonly string[]
  /** What `Remote-User` holds. */
  readonly remoteUser: 'username' | 'id'
}

export interface ApiKeyInfo {
  readonly prefix: string
  readonly status: 'active' | 'revoked' | 'expired'
  readonly createdAt: string
  readonly lastUsedAt: string | null
  readonly revokedAt: string | null
}

export interface AccessMapping {
  readonly projectId: string
  readonly projectName: string
  readonly projectIsActive: boolean
  readonly serverId: string
  readonly serverName: string
  readonly isMainServer: boolean
  readonly operations: Operations
  readonly scopes: readonly ('read_members' | 'check_permissions')[]
  readonly createdAt: string
  readonly updatedAt: string
}

export interface NewKey {
  /** What the key is for, in words of yours. */
  readonly note?: string
  /** From then on the key is refused. */
  readonly expiresAt?: string
}

export interface ProjectKey {
  readonly id: string
  readonly prefix: string
  readonly note: string | null
  /** `replaced`: another key took its place, and it goes on until `expiresAt`. */
  readonly status: 'active' | 'replaced' | 'revoked' | 'expired'
  /** The one that is meant where only a project is named. */
  readonly isNewest: boolean
  readonly createdAt: string
  readonly replacedAt: string | null
  readonly expiresAt: string | null
  readonly revokedAt: string | null
  readonly lastUsedAt: string | null
  readonly uses: number
  readonly usesSinceReplaced: number
}

export interface RegenerateApiKey {
  /** How long the old key goes on beside the new one. */
  readonly graceSec?: number
  /** What the key is for, in words of yours. */
  readonly note?: string
  /** From then on the new key is refused. */
  readonly expiresAt?: string
}

export interface AccessChange {
  readonly id: string
  readonly at: string
  readonly action: 'GRANT' | 'UPDATE' | 'REVOKE'
  readonly projectId: string
  readonly projectName: string
  readonly serverId: string
  readonly serverName: string
  readonly actorId: string | null
  readonly actorUsername: string | null
  readonly before: {
    readonly operations: Operations
    readonly scopes: readonly ('read_members' | 'check_permissions')[]
  } | null
  readonly after: {
    readonly operations: Operations
    readonly scopes: readonly ('read_members' | 'check_permissions')[]
  } | null
}

export interface ChatServer {
  readonly id: string
  readonly name: string
  readonly icon: string | null
  readonly isMain: boolean
  /** Current members in the mirror. */
  readonly memberCount: number
  readonly rolesSyncedAt: string | null
  readonly lastSync: MemberSync | null
  readonly createdAt: string
  readonly updatedAt: string
}

export interface Bot {
  readonly name: string
  /** Opened by whoever manages a server, it brings the bot there. It asks for no permission: none is needed. */
  readonly inviteUrl: string
  /** The intent for server members is switched on at the developer portal; without it neither syncs nor live roles work. */
  readonly mayListMembers: boolean
  /** Those that the bot is in, by name; at most 2,000. */
  readonly servers: readonly {
    readonly id: string
    readonly name: string
    readonly icon: string | null
    readonly isRegistered: boolean
  }[]
}

export interface Role {
  readonly id: string
  readonly name: string
  readonly color: number | null
  readonly position: number | null
}

export interface MemberSync {
  readonly id: string
  readonly serverId: string
  readonly status: 'running' | 'succeeded' | 'failed'
  readonly startedAt: string
  readonly finishedAt: string | null
  /** Members that the chat platform listed so far. */
  readonly seen: number
  /** Memberships that were new or differed. */
  readonly changed: number
  /** Memberships that the chat platform said are over. */
  readonly ended: number
  readonly problem: string | null
}

export interface MemberExportQuery {
  /** `club`: members of the main server; `all`: of any registered server. */
  readonly filter?: 'club' | 'all'
  /** Repeated, or separated by commas; any of them. */
  readonly serverId?: readonly string[]
  /** Repeated, or separated by commas; any of them. */
  readonly roleId?: readonly string[]
  /** Part of the username or global name, in any case. */
  readonly search?: string
  readonly format?: 'csv' | 'json'
}

export interface MemberListQuery {
  /** `club`: members of the main server; `all`: of any registered server. */
  readonly filter?: 'club' | 'all'
  /** Repeated, or separated by commas; any of them. */
  readonly serverId?: readonly string[]
  /** Repeated, or separated by commas; any of them. */
  readonly roleId?: readonly string[]
  /** Part of the username or global name, in any case. */
  readonly search?: string
  readonly page?: number
  readonly limit?: number
}

export interface MemberListItem {
  readonly memberId: string
  readonly username: string
  readonly globalName: string | null
  readonly avatar: string | null
  readonly isClubMember: boolean
  /** May have no session now. */
  readonly blocked: boolean
  readonly serverCount: number
  /** The main server first, then by name. */
  readonly servers: readonly {
    readonly serverId: string
    readonly serverName: string
    readonly isMainServer: boolean
    /** Highest first. */
    readonly roleNames: readonly string[]
    /** The same roles, with id and colour. */
    readonly roles: readonly Role[]
    readonly joinedAt: string | null
  }[]
}

export interface MemberServers {
  readonly memberId: string
  readonly username: string
  readonly globalName: string | null
  readonly avatar: string | null
  readonly displayName: string | null
  readonly isClubMember: boolean
  /** May have no session now. */
  readonly blocked: boolean
  readonly block: Block | null
  readonly servers: readonly {
    readonly serverId: string
    readonly serverName: string
    readonly serverIcon: string | null
    readonly isMainServer: boolean
    readonly joinedAt: string | null
    /** Highest first. */
    readonly roles: readonly Role[]
  }[]
}

export interface ExplainRequest {
  readonly memberId: string
  readonly projectId: string
  readonly serverId?: string
  readonly redirectUri?: string
  readonly anyOf?: readonly string[]
  readonly allOf?: readonly string[]
  readonly assume?: {
    readonly addRoleIds?: readonly string[]
    readonly removeRoleIds?: readonly string[]
    readonly isMember?: boolean
  }
}

export interface Explanation {
  readonly outcome: 'allowed' | 'refused'
  readonly code: string | null
  /** In their order. The first that is not ok refuses; what cannot be said because of it is left out. */
  readonly steps: readonly ExplainedStep[]
  /** Roles in the server, highest first. */
  readonly roles: readonly {
    readonly roleId: string
    readonly roleName: string
    readonly roleColor: number | null
    readonly rolePosition: number | null
  }[]
  readonly rolesAsOf: string | null
  readonly rolesSource: 'gateway' | 'rest' | 'mirror' | null
  /** What a host that the project protects would say; absent where it protects none. */
  readonly protectedHosts?: {
    readonly hosts: readonly string[]
    readonly serverId: string | null
    readonly outcome: 'allowed' | 'refused'
    readonly code: string | null
    /** In their order. The first that is not ok refuses; what cannot be said because of it is left out. */
    readonly steps: readonly ExplainedStep[]
  }
  /** What a login by OpenID Connect would say; absent where that is off, or the project is inactive. */
  readonly openIdConnect?: {
    readonly serverId: string | null
    readonly outcome: 'allowed' | 'refused'
    readonly code: string | null
    /** In their order. The first that is not ok refuses; what cannot be said because of it is left out. */
    readonly steps: readonly ExplainedStep[]
  }
}

export interface PutBlock {
  /** For administrators, in one line. Neither the member nor a project is told. */
  readonly reason: string
  readonly until?: string | null
}

export interface MemberBlock {
  readonly memberId: string
  readonly reason: string | null
  readonly since: string
  readonly until: string | null
}

export interface MemberData {
  readonly memberId: string
  readonly readAt: string
  /** Names, picture, verified e-mail address, and since when. */
  readonly profile: Readonly<Record<string, unknown>>
  readonly lastSeenAt: string | null
  readonly block: Readonly<Record<string, unknown>> | null
  /** Servers, present and former, with nickname and roles. */
  readonly memberships: readonly Readonly<Record<string, unknown>>[]
  /** Sessions, live and ended, with address and browser. Tokens are not kept. */
  readonly sessions: readonly Readonly<Record<string, unknown>>[]
  /** Browsers that may skip the screen of the platform. */
  readonly singleSignOn: readonly Readonly<Record<string, unknown>>[]
  /** Logins of the last day that ended in a code. */
  readonly codes: readonly Readonly<Record<string, unknown>>[]
  /** When a project last ended everything of them. */
  readonly projectLogouts: readonly Readonly<Record<string, unknown>>[]
  /** Of the last day: what projects were told. */
  readonly events: readonly Readonly<Record<string, unknown>>[]
  /** Of the last week: what projects were told by webhook. */
  readonly eventDeliveries: readonly Readonly<Record<string, unknown>>[]
  /** What they agreed to that a project may ask for. */
  readonly consents: readonly Readonly<Record<string, unknown>>[]
  /** Ends of sessions that clients of OpenID Connect are told of. */
  readonly clientLogouts: readonly Readonly<Record<string, unknown>>[]
  /** Projects that they manage by name. */
  readonly ownedProjects: readonly Readonly<Record<string, unknown>>[]
  /** What they changed, as an admin, of the access of projects. */
  readonly accessChanges: readonly Readonly<Record<string, unknown>>[]
  /** Reads of a server that they started. */
  readonly memberSyncs: readonly Readonly<Record<string, unknown>>[]
  /** Messages of the last 30 days to channels of projects that name them. */
  readonly notifications: readonly Readonly<Record<string, unknown>>[]
  /** Of the last 30 days: what they asked for with a good session and were refused. */
  readonly authFailures: readonly Readonly<Record<string, unknown>>[]
  readonly settingsWrittenAt: string | null
  /** What they did, and what was done to them, newest first. Who did it is told where it was themselves. */
  readonly auditEntries: readonly Readonly<Record<string, unknown>>[]
}

export interface InboundWebhook {
  readonly id: string
  readonly projectId: string
  readonly name: string
  readonly slug: string
  /** JSON Schema 2020-12, at most 64 KiB. `$ref` stays within the schema, `format` is asserted, and `pattern` is RE2 syntax, neither look-around nor back-references, that becomes at most 2,000 instructions, and 12,000 with all others of the schema. Numbers are such that every JSON reader holds them. `$id`, `$dynamicRef` and keywords that are not known are refused; `x-…` is ignored. */
  readonly schema: Readonly<Record<string, unknown>>
  readonly acceptedOrigins: readonly string[]
  readonly allowedRoleIds: readonly string[]
  readonly isActive: boolean
  readonly requireSignature: boolean
  readonly secretSetAt: string
  readonly createdAt: string
  readonly updatedAt: string
  readonly submissionCount: number
  readonly lastSubmissionAt: string | null
}

export interface Submission {
  readonly id: string
  readonly receivedAt: string
  /** It carried a signature, which was good. */
  readonly isSigned: boolean
  readonly origin: string | null
  /** As it was sent. Read it with a parser that keeps long numbers where there may be any. */
  readonly payload: unknown
}

export interface ListedWebhook {
  readonly id: string
  readonly projectId: string
  readonly name: string
  readonly slug: string
  readonly acceptedOrigins: readonly string[]
  readonly allowedRoleIds: readonly string[]
  readonly isActive: boolean
  readonly requireSignature: boolean
  readonly secretSetAt: string
  readonly createdAt: string
  readonly updatedAt: string
  readonly submissionCount: number
  readonly lastSubmissionAt: string | null
  readonly projectName: string
}

export interface RotateEventsSecret {
  /** How long events are signed with the former secret, too. */
  readonly graceSec?: number
}

export interface AuditChain {
  /** `checking`: the first check is under way. `verified`: the last check reached the end and found every entry as it was written. `broken`: one is not, or is missing; `problem` says which. */
  readonly status: 'unchecked' | 'checking' | 'verified' | 'broken'
  /** Entries of the log now. */
  readonly entries: number
  /** Entries that the check under way has found good so far. */
  readonly checked: number
  /** Entries that were let go by their age, before the first one. */
  readonly letGo: number
  readonly startedAt: string | null
  readonly verifiedAt: string | null
  readonly problem: string | null
  readonly problemAt: string | null
  readonly mend: string | null
}

export interface AuditEntry {
  readonly id: string
  readonly at: string
  readonly actorId: string | null
  readonly actorUsername: string | null
  readonly actionType: 'auth' | 'project' | 'server' | 'role' | 'webhook' | 'member' | 'sync' | 'permission'
  /** `noun.verb`: `project.create`, `settings.update`. */
  readonly action: string
  readonly severity: 'info' | 'warning' | 'error'
  readonly targetType: string | null
  readonly targetId: string | null
  readonly targetName: string | null
  readonly summary: string
  readonly changes: Readonly<Record<string, {
    readonly before: unknown
    readonly after: unknown
  }>> | null
  readonly ip: string | null
  readonly requestId: string | null
  /** Binds the entry to all before it; `rolecall audit verify` checks it. */
  readonly hash: string
}

export interface AdminProfile {
  readonly id: string
  readonly username: string
  readonly isSystemAdmin: boolean
  /** Reads everything, and changes nothing. */
  readonly isAuditor: boolean
  /** Projects that this member manages, by name; 100 at most. */
  readonly ownedProjects: readonly {
    readonly id: string
    readonly name: string
  }[]
  readonly avatar: string | null
  readonly displayName: string | null
  readonly email: string | null
  readonly globalName: string | null
  readonly preferredName: string | null
}

export interface SettingSource {
  /** Nothing gives it, a variable does (of a secret: each of its variables), or an administrator has stored it. */
  readonly source: 'default' | 'environment' | 'stored'
  readonly configured: number | null
  readonly ignored: number | null
  readonly changedAt: string | null
  readonly changedBy: string | null
}

export interface AuthFailure {
  readonly id: string
  readonly at: string
  readonly kind: 'api_key' | 'session' | 'refresh' | 'code' | 'signature' | 'admin'
  /** A word of a closed list, such as `unknown`, `expired` or `scope_required`; of a login that was refused `not_a_member`, `blocked`, `not_an_admin` or `no_access`. */
  readonly reason: string
  readonly address: string | null
  /** Without query; what looks like a credential is masked. */
  readonly path: string
  readonly projectId: string | null
  readonly keyPrefix: string | null
  readonly memberId: string | null
  readonly memberName: string | null
  readonly requestId: string | null
}

export interface ReplacedKey {
  readonly projectId: string
  readonly projectName: string
  readonly keyId: string
  readonly prefix: string
  readonly note: string | null
  readonly replacedAt: string
  readonly endsAt: string | null
  readonly usesSinceReplaced: number
  readonly lastUsedAt: string | null
}

export interface Stats {
  /** Members of at least one registered server. */
  readonly members: number
  /** Of these, who logged in or refreshed a session within `memberActivityThresholdDays`. */
  readonly activeMembers: number
  readonly memberActivityThresholdDays: number
  /** Sessions that are neither expired nor revoked. */
  readonly sessions: number
  readonly projects: number
  readonly activeProjects: number
  /** They are counted anew when older than the setting `statsTtlMs`. */
  readonly asOf: string
}

export interface SystemHealth {
  readonly status: 'ok' | 'degraded'
  readonly api: {
    readonly version: string
    /** Seconds since the answering process started. */
    readonly uptime: number
    /** Seen within the last minute, the oldest first. */
    readonly instances: readonly {
      readonly id: string
      readonly version: string
      readonly startedAt: string
      readonly lastSeenAt: string
      /** It is the one that answers this request. */
      readonly isSelf: boolean
      /** It holds the gateway connection and keeps the mirror live. */
      readonly leadsGateway: boolean
    }[]
  }
  readonly chatPlatform: {
    /** `degraded`: roles are not followed live. */
    readonly status: 'up' | 'degraded' | 'down'
    readonly problem: string | null
    readonly gateway: 'off' | 'closed' | 'connecting' | 'connected' | 'refused'
    readonly latencyMs: number | null
    readonly lastEventAt: string | null
    /** How long the oldest change has waited that is received and not written; null without a leader. */
    readonly lagMs?: number | null
    readonly sessionsLeft?: number | null
    /** Registered servers whose roles are not followed live, the first 100; none while the gateway is off. */
    readonly notLive?: readonly {
      readonly serverId: string
      readonly serverName: string
      /** `lost`: the bot is not in it any more. `unavailable`: an outage of the platform. `reading`: not all of it is read yet. */
      readonly reason: 'lost' | 'unavailable' | 'reading'
      readonly since: string
    }[]
    readonly rest: {
      /** Requests that this instance may send in this second before they wait for the next. */
      readonly remaining: number
      /** Requests that all instances together send in one second at most. */
      readonly perSecond: number
      /** Answers 401, 403 and 429 to all instances in the last ten minutes. The platform bans an address at 10,000. */
      readonly invalidRequests: number
      /** What is not asked for now, because it would be refused; empty when all is well. */
      readonly breaker: readonly string[]
    }
  }
  readonly database: {
    readonly status: 'up' | 'down'
    readonly problem: string | null
    readonly latencyMs: number | null
    readonly pool: {
      readonly max: number
      /** Connections that are open. */
      readonly total: number
      readonly idle: number
      /** Requests that wait for a connection. */
      readonly waiting: number
    }
  }
  readonly cache: {
    readonly status: 'up' | 'down'
    readonly latencyMs: number | null
  }
}

export interface UsageMinute {
  readonly minute: string
  readonly projectId: string | null
  /** Method and path template: `POST /api/auth/validate`. */
  readonly route: string
  readonly status: number
  readonly count: number
}

export interface UsageChart {
  readonly bucket: '1m' | '5m' | '15m' | '1h' | '6h' | '1d'
  readonly from: string
  readonly to: string
  readonly series: readonly UsageLine[]
}

export interface Latency {
  /** The route, or the id of the project; `none` for requests of no project. */
  readonly key: string
  /** For people: the route, or the name of the project. */
  readonly name: string
  /** Answers of the period. */
  readonly count: number
  /** Answers 4xx among them. */
  readonly clientErrors: number
  /** Answers 5xx among them. */
  readonly serverErrors: number
  /** Answers whose time was measured: not those of older versions, nor where nothing is at the address. */
  readonly measured: number
  readonly p50Ms: number | null
  readonly p95Ms: number | null
  readonly p99Ms: number | null
  /** How many took longer than the bound before, and no longer than this one; the last cell took longer than all. */
  readonly took: readonly number[]
}

export interface Queue {
  readonly name: 'outbox' | 'notifications' | 'event_deliveries' | 'oidc_logouts' | 'oidc_logouts_refused' | 'member_syncs'
  readonly meaning: string
  /** Counted up to 100,000. */
  readonly waiting: number
  /** Seconds for which the oldest has waited; 0 where nothing waits. */
  readonly oldestSec: number
}

export interface Attention {
  readonly code: 'DATABASE_READ_ONLY' | 'DATABASE_FULL' | 'AUDIT_CHAIN_BROKEN' | 'ENCRYPTION_KEY_MISSING' | 'ENCRYPTION_KEY_CHANGED' | 'GATEWAY_REFUSED' | 'CHAT_PLATFORM_DOWN' | 'BOT_NOT_IN_SERVER' | 'CACHE_DOWN' | 'GATEWAY_DOWN' | 'SERVER_NOT_LIVE' | 'IDENTIFY_BUDGET_LOW' | 'CHAT_REQUESTS_REFUSED' | 'SYNC_FAILED' | 'EVENTS_SWITCHED_OFF' | 'EVENTS_FAILING' | 'NOTICES_SWITCHED_OFF' | 'NOTICES_FAILING' | 'CLIENT_LOGOUTS_FAILING' | 'SIGN_INS_FAILING' | 'CREDENTIALS_REJECTED' | 'KEY_ENDING' | 'PROXY_NOT_TRUSTED' | 'QUEUE_OLD'
  readonly severity: 'error' | 'warning'
  readonly title: string
  /** What was found. */
  readonly detail: string
  readonly subject: {
    readonly type: 'project' | 'server' | 'variable' | 'queue'
    readonly id: string
    readonly name: string
  } | null
  readonly since: string | null
  /** What to do about it. */
  readonly mend: string
}

export interface ForwardAuthInput {
  /** Names, with a port where it is not the scheme’s own. Replaces the list. */
  readonly hosts?: readonly string[]
  readonly serverId?: string | null
  readonly anyOf?: readonly string[]
  readonly remoteUser?: 'username' | 'id'
}

export interface ProjectInboundWebhook {
  /** Something to see, without control, formatting or invisible characters, and without space around it. Kept in NFC. */
  readonly name: string
  /** JSON Schema 2020-12, at most 64 KiB. `$ref` stays within the schema, `format` is asserted, and `pattern` is RE2 syntax, neither look-around nor back-references, that becomes at most 2,000 instructions, and 12,000 with all others of the schema. Numbers are such that every JSON reader holds them. `$id`, `$dynamicRef` and keywords that are not known are refused; `x-…` is ignored. */
  readonly schema: Readonly<Record<string, unknown>>
  /** Unique within the project. */
  readonly slug?: string
  /** Like `https://site.example`. When there are any, a submission must carry one as its `Origin`. */
  readonly acceptedOrigins?: readonly string[]
  /** Members who hold one of these roles may read the submissions. */
  readonly allowedRoleIds?: readonly string[]
}

export interface Operations {
  readonly READ: boolean
  readonly SEND_MESSAGES: boolean
  readonly MANAGE_WEBHOOKS: boolean
}

export interface Block {
  readonly reason: string | null
  readonly since: string
  readonly until: string | null
}

export interface ExplainedStep {
  /** Where it is asked, and what: `authorize.project_active`. */
  readonly check: string
  readonly ok: boolean
  /** What was found. */
  readonly detail: string
  readonly mend: string | null
}

export interface UsageLine {
  readonly key: string | null
  /** For people: the name of the project, the route, the status. */
  readonly name: string
  /** Requests of the whole period. */
  readonly count: number
  /** The first moment of a bucket and its requests, in order; buckets without any are left out. */
  readonly points: readonly {
    readonly at: string
    readonly count: number
  }[]
}

/** What administrators may ask, by the names in the pages of the API. */
export interface AdminEndpoints {
  /** End the admin session that asks. */
  readonly adminLogout: {
    readonly answer: Success
  }
  /** Exchange the code of an admin login for an admin session. */
  readonly adminToken: {
    readonly body: {
      readonly code: string
      readonly cookie?: boolean
      readonly codeVerifier?: string
    }
    readonly answer: {
      readonly token?: string
      readonly refreshToken?: string
      readonly expiresAt?: string
      readonly member?: {
        readonly id: string
        readonly username: string
        /** Is a member of the main server now. */
        readonly isClubMember: boolean
        readonly avatar: string | null
        readonly displayName: string | null
        readonly email: string | null
        readonly globalName: string | null
        readonly joinedAt: string | null
        readonly preferredName: string | null
        readonly createdAt: string
        readonly updatedAt: string
        readonly syncedAt: string | null
      }
      readonly roles?: readonly {
        readonly roleId: string
        readonly roleName: string
        readonly roleColor: number | null
        readonly rolePosition: number | null
      }[]
    }
  }
  /** Sign a member out everywhere. */
  readonly endMemberSessions: {
    readonly params: {
      readonly id: string
    }
    readonly query: ChangeQuery
    readonly answer: DryRun | undefined
  }
  /** List the sessions of a member, newest first. */
  readonly listMemberSessions: {
    readonly params: {
      readonly id: string
    }
    readonly answer: {
      readonly sessions: readonly MemberSession[]
    }
  }
  /** End one session of a member. */
  readonly revokeMemberSession: {
    readonly params: {
      readonly id: string
      readonly sessionId: string
    }
    readonly answer: undefined
  }
  /** List the sessions of a project, newest first. */
  readonly listProjectSessions: {
    readonly params: {
      readonly id: string
    }
    readonly query: {
      /** Only those of this member. */
      readonly memberId?: string
      /** Only those in this server. */
      readonly serverId?: string
      /** `nextCursor` of the page before: as quick on the last page as on the first. */
      readonly cursor?: string
      readonly limit?: number
    }
    readonly answer: {
      readonly data: readonly ProjectSession[]
      readonly nextCursor: string | null
    }
  }
  /** Add a redirect URI. */
  readonly addRedirectUri: {
    readonly params: {
      readonly id: string
    }
    readonly body: {
      readonly uri: string
    }
    readonly answer: Project
  }
  /** Register a project. */
  readonly createProject: {
    readonly body: CreateProject
    readonly answer: {
      readonly project: Project
      readonly apiKey: string
      readonly inboundWebhook?: CreatedInboundWebhook
      /** The signing secret of events, in the answer to the first `eventsUrl` only. */
      readonly eventsSecret?: string
    }
  }
  /** Delete a project. */
  readonly deleteProject: {
    readonly params: {
      readonly id: string
    }
    readonly query: ChangeQuery
    readonly answer: DryRun | undefined
  }
  /** One project. */
  readonly getProject: {
    readonly params: {
      readonly id: string
    }
    readonly answer: Project
  }
  /** List projects, newest first. */
  readonly listProjects: {
    readonly query: {
      readonly isActive?: boolean
      readonly isInternal?: boolean
      /** Part of the name, whatever its case. */
      readonly name?: string
      readonly limit?: number
      readonly offset?: number
    }
    readonly answer: {
      readonly data: readonly Project[]
      readonly total: number
    }
  }
  /** Remove a redirect URI. */
  readonly removeRedirectUri: {
    readonly params: {
      readonly id: string
    }
    readonly query: {
      readonly uri: string
    }
    readonly answer: undefined
  }
  /** Set the redirect URIs. */
  readonly setRedirectUris: {
    readonly params: {
      readonly id: string
    }
    readonly body: {
      readonly redirectUri: string
    }
    readonly answer: Project
  }
  /** Change a project. */
  readonly updateProject: {
    readonly params: {
      readonly id: string
    }
    readonly query: ChangeQuery
    readonly body: UpdateProject
    readonly answer: {
      readonly id: string
      readonly name: string
      readonly description: string | null
      readonly isActive: boolean
      /** Uses the main server without a mapping. */
      readonly isInternal: boolean
      readonly redirectUris: readonly string[]
      readonly webhookUrl: string | null
      readonly eventsUrl: string | null
      readonly eventsDisabledAt: string | null
      readonly owners: {
        /** Who holds one of these roles in the main server owns the project. */
        readonly roleIds: readonly string[]
        /** Members who own the project. */
        readonly memberIds: readonly string[]
      }
      readonly forwardAuth: ForwardAuth
      readonly apiKey: ApiKeyInfo
      readonly serverAccess: readonly AccessMapping[]
      readonly oidc: {
        /** Off, the project is no client. */
        readonly enabled: boolean
        readonly serverId: string | null
        /** Runs in a browser or an app: no secret, and PKCE always. */
        readonly publicClient: boolean
        readonly postLogoutRedirectUris: readonly string[]
        readonly backchannelLogoutUri: string | null
        /** Devices without a browser may log in by a code. */
        readonly deviceFlow: boolean
        /** Also in the ID token, where they age; userinfo is live. */
        readonly rolesInIdToken: boolean
      }
      readonly createdAt: string
      readonly updatedAt: string
      /** The signing secret of events, in the answer to the first `eventsUrl` only. */
      readonly eventsSecret?: string
    } | DryRun
  }
  /** Add a key. */
  readonly addApiKey: {
    readonly params: {
      readonly id: string
    }
    readonly body?: NewKey
    readonly answer: {
      readonly id: string
      readonly apiKey: string
      readonly prefix: string
      readonly createdAt: string
    }
  }
  /** Prefix and state of the newest key. */
  readonly getApiKey: {
    readonly params: {
      readonly id: string
    }
    readonly answer: ApiKeyInfo
  }
  /** List the keys of a project. */
  readonly listApiKeys: {
    readonly params: {
      readonly id: string
    }
    readonly answer: {
      readonly data: readonly ProjectKey[]
      readonly total: number
    }
  }
  /** Replace the key. */
  readonly regenerateApiKey: {
    readonly params: {
      readonly id: string
    }
    readonly body?: RegenerateApiKey
    readonly answer: {
      readonly apiKey: string
      readonly prefix: string
      readonly createdAt: string
      /** The old key, where it goes on for a while. */
      readonly replaced?: {
        readonly prefix: string
        readonly endsAt: string
      }
    }
  }
  /** Bring the newest key back after it was revoked. */
  readonly restoreApiKey: {
    readonly params: {
      readonly id: string
    }
    readonly answer: undefined
  }
  /** Revoke the key. */
  readonly revokeApiKey: {
    readonly params: {
      readonly id: string
    }
    readonly query: ChangeQuery
    readonly answer: DryRun | undefined
  }
  /** Revoke one key. */
  readonly revokeOneApiKey: {
    readonly params: {
      readonly id: string
      readonly keyId: string
    }
    readonly query: ChangeQuery
    readonly answer: DryRun | undefined
  }
  /** Every mapping of projects to servers. */
  readonly accessMatrix: {
    readonly query: {
      readonly projectId?: string
      readonly serverId?: string
      readonly scope?: 'read_members' | 'check_permissions'
      readonly projectName?: string
    }
    readonly answer: {
      readonly data: readonly AccessMapping[]
      readonly total: number
    }
  }
  /** Changes of access, newest first. */
  readonly accessTrail: {
    readonly query: {
      readonly projectId?: string
      readonly serverId?: string
      readonly action?: 'GRANT' | 'UPDATE' | 'REVOKE'
      readonly limit?: number
    }
    readonly answer: {
      readonly data: readonly AccessChange[]
      readonly total: number
    }
  }
  /** Servers that a project may use. */
  readonly listProjectServers: {
    readonly params: {
      readonly projectId: string
    }
    readonly query: {
      readonly scope?: 'read_members' | 'check_permissions'
    }
    readonly answer: {
      readonly data: readonly AccessMapping[]
      readonly total: number
    }
  }
  /** Projects that may use a server. */
  readonly listServerProjects: {
    readonly params: {
      readonly serverId: string
    }
    readonly query: {
      readonly scope?: 'read_members' | 'check_permissions'
      readonly isActive?: boolean
    }
    readonly answer: {
      readonly data: readonly AccessMapping[]
      readonly total: number
    }
  }
  /** Take a server away from a project. */
  readonly revokeAccess: {
    readonly params: {
      readonly projectId: string
      readonly serverId: string
    }
    readonly query: ChangeQuery
    readonly answer: AccessMapping | DryRun
  }
  /** Let a project use a server, or change what it may do there. */
  readonly setAccess: {
    readonly params: {
      readonly projectId: string
      readonly serverId: string
    }
    readonly query: ChangeQuery
    readonly body: {
      readonly operations?: {
        readonly READ?: boolean
        readonly SEND_MESSAGES?: boolean
        readonly MANAGE_WEBHOOKS?: boolean
      }
      readonly scopes?: readonly ('read_members' | 'check_permissions')[]
    }
    readonly answer: AccessMapping | DryRun
  }
  /** Register a server. */
  readonly addServer: {
    readonly body: {
      readonly id: string
      readonly isMain?: boolean
    }
    readonly answer: ChatServer
  }
  /** The servers that the bot is in, registered or not, and the link that invites it. */
  readonly getBot: {
    readonly answer: Bot
  }
  /** List the roles of a server, highest first. */
  readonly listRoles: {
    readonly params: {
      readonly id: string
    }
    readonly answer: {
      readonly data: readonly Role[]
      readonly total: number
    }
  }
  /** List the registered servers, newest first. */
  readonly listServers: {
    readonly answer: {
      readonly data: readonly ChatServer[]
      readonly total: number
    }
  }
  /** Remove a server. */
  readonly removeServer: {
    readonly params: {
      readonly id: string
    }
    readonly query: ChangeQuery
    readonly answer: DryRun | undefined
  }
  /** Read name, roles and all members of a server from the chat platform. */
  readonly syncServer: {
    readonly params: {
      readonly id: string
    }
    readonly answer: MemberSync
  }
  /** Give a server the main flag, or take it away. */
  readonly updateServer: {
    readonly params: {
      readonly id: string
    }
    readonly query: ChangeQuery
    readonly body: {
      readonly isMain: boolean
    }
    readonly answer: ChatServer | DryRun
  }
  /** Download members, one row per membership. */
  readonly exportMembers: {
    readonly query: MemberExportQuery
    readonly answer: Download
  }
  /** List members across servers; the same list. */
  readonly listCrossServerMembers: {
    readonly query: MemberListQuery
    readonly answer: {
      readonly data: readonly MemberListItem[]
      readonly page: number
      readonly limit: number
      readonly total: number
      readonly totalPages: number
    }
  }
  /** A member’s servers, with the roles in each. */
  readonly listMemberServers: {
    readonly params: {
      readonly chat_user_id: string
    }
    readonly answer: MemberServers
  }
  /** List members. */
  readonly listMembers: {
    readonly query: MemberListQuery
    readonly answer: {
      readonly data: readonly MemberListItem[]
      readonly page: number
      readonly limit: number
      readonly total: number
      readonly totalPages: number
    }
  }
  /** Read a member from the chat platform again, now. */
  readonly refreshMember: {
    readonly params: {
      readonly chat_user_id: string
    }
    readonly answer: MemberServers
  }
  /** A picture of a member or server, without a request to the platform from the browser. */
  readonly getImage: {
    readonly params: {
      readonly kind: 'avatars' | 'icons'
      readonly id: string
      readonly hash: string
    }
    readonly answer: Download
  }
  /** Why is this member let in or refused? */
  readonly explain: {
    readonly body: ExplainRequest
    readonly answer: Explanation
  }
  /** Block a member: no session, and none to come. */
  readonly blockMember: {
    readonly params: {
      readonly id: string
    }
    readonly body: PutBlock
    readonly answer: MemberBlock
  }
  /** End the block of a member. */
  readonly unblockMember: {
    readonly params: {
      readonly id: string
    }
    readonly answer: undefined
  }
  /** Erase a person: everything kept about them. */
  readonly eraseMember: {
    readonly params: {
      readonly id: string
    }
    readonly answer: undefined
  }
  /** Everything that is kept about a person, as one file. */
  readonly getMemberData: {
    readonly params: {
      readonly id: string
    }
    readonly answer: MemberData
  }
  /** Create an inbound webhook. */
  readonly createWebhook: {
    readonly params: {
      readonly projectId: string
    }
    readonly body: {
      /** Something to see, without control, formatting or invisible characters, and without space around it. Kept in NFC. */
      readonly name: string
      /** JSON Schema 2020-12, at most 64 KiB. `$ref` stays within the schema, `format` is asserted, and `pattern` is RE2 syntax, neither look-around nor back-references, that becomes at most 2,000 instructions, and 12,000 with all others of the schema. Numbers are such that every JSON reader holds them. `$id`, `$dynamicRef` and keywords that are not known are refused; `x-…` is ignored. */
      readonly schema: Readonly<Record<string, unknown>>
      /** Unique within the project. */
      readonly slug?: string
      /** Like `https://site.example`. When there are any, a submission must carry one as its `Origin`. */
      readonly acceptedOrigins?: readonly string[]
      /** Members who hold one of these roles may read the submissions. */
      readonly allowedRoleIds?: readonly string[]
      readonly isActive?: boolean
      readonly requireSignature?: boolean
    }
    readonly answer: CreatedInboundWebhook
  }
  /** Delete an inbound webhook and its submissions. */
  readonly deleteWebhook: {
    readonly params: {
      readonly projectId: string
      readonly webhookId: string
    }
    readonly query: ChangeQuery
    readonly answer: DryRun | undefined
  }
  /** Download submissions as CSV. */
  readonly exportSubmissions: {
    readonly params: {
      readonly projectId: string
      readonly webhookId: string
    }
    readonly query: {
      /** From this moment on. */
      readonly dateFrom?: string
      /** Up to and including this moment. A date alone is the whole day, in UTC. */
      readonly dateTo?: string
    }
    readonly answer: Download
  }
  /** One inbound webhook. */
  readonly getWebhook: {
    readonly params: {
      readonly projectId: string
      readonly webhookId: string
    }
    readonly answer: InboundWebhook
  }
  /** Submissions of an inbound webhook, newest first. */
  readonly listSubmissions: {
    readonly params: {
      readonly projectId: string
      readonly webhookId: string
    }
    readonly query: {
      /** From this moment on. */
      readonly dateFrom?: string
      /** Up to and including this moment. A date alone is the whole day, in UTC. */
      readonly dateTo?: string
      /** `nextCursor` of the page before. */
      readonly cursor?: string
      readonly limit?: number
    }
    readonly answer: {
      /** Newest first; fewer than `limit` when they are large. */
      readonly data: readonly Submission[]
      readonly nextCursor: string | null
    }
  }
  /** Inbound webhooks of a project, newest first. */
  readonly listWebhooks: {
    readonly params: {
      readonly projectId: string
    }
    readonly answer: {
      readonly data: readonly InboundWebhook[]
      readonly total: number
    }
  }
  /** Replace the signing secret. */
  readonly rotateSecret: {
    readonly params: {
      readonly projectId: string
      readonly webhookId: string
    }
    readonly answer: {
      /** Signs submissions; the HMAC key is this whole text. Shown this once. */
      readonly secret: string
    }
  }
  /** Hold a payload against the schema, and store nothing. */
  readonly tryPayload: {
    readonly params: {
      readonly projectId: string
      readonly webhookId: string
    }
    readonly body: {
      /** The JSON text, as it would be sent. */
      readonly payload: string
      /** JSON Schema 2020-12, at most 64 KiB. `$ref` stays within the schema, `format` is asserted, and `pattern` is RE2 syntax, neither look-around nor back-references, that becomes at most 2,000 instructions, and 12,000 with all others of the schema. Numbers are such that every JSON reader holds them. `$id`, `$dynamicRef` and keywords that are not known are refused; `x-…` is ignored. */
      readonly schema?: Readonly<Record<string, unknown>>
    }
    readonly answer: {
      readonly valid: boolean
      /** Everything that is wrong, by its place in the payload, or below `/schema` in the draft; or the first problems that fit into 64 KiB. */
      readonly errors: readonly {
        /** JSON Pointer into the body, or into the query or path parameters. */
        readonly path: string
        readonly message: string
        readonly code: string
      }[]
      /** How many more problems were found. Absent where `errors` lists all of them. A check stops after 1,000 problems, or 128 KiB of them. */
      readonly more?: number
    }
  }
  /** Change an inbound webhook. */
  readonly updateWebhook: {
    readonly params: {
      readonly projectId: string
      readonly webhookId: string
    }
    readonly query: ChangeQuery
    readonly body: {
      /** Something to see, without control, formatting or invisible characters, and without space around it. Kept in NFC. */
      readonly name?: string
      /** JSON Schema 2020-12, at most 64 KiB. `$ref` stays within the schema, `format` is asserted, and `pattern` is RE2 syntax, neither look-around nor back-references, that becomes at most 2,000 instructions, and 12,000 with all others of the schema. Numbers are such that every JSON reader holds them. `$id`, `$dynamicRef` and keywords that are not known are refused; `x-…` is ignored. */
      readonly schema?: Readonly<Record<string, unknown>>
      /** Unique within the project. */
      readonly slug?: string
      /** Like `https://site.example`. When there are any, a submission must carry one as its `Origin`. */
      readonly acceptedOrigins?: readonly string[]
      /** Members who hold one of these roles may read the submissions. */
      readonly allowedRoleIds?: readonly string[]
      readonly isActive?: boolean
      readonly requireSignature?: boolean
    }
    readonly answer: InboundWebhook | DryRun
  }
  /** Inbound webhooks of all projects, newest first. */
  readonly listAllWebhooks: {
    readonly query: {
      /** Part of the name of the webhook or of its project, whatever its case. */
      readonly name?: string
      readonly limit?: number
      readonly offset?: number
    }
    readonly answer: {
      readonly data: readonly ListedWebhook[]
      readonly total: number
    }
  }
  /** Events sent to the webhook of a project, newest first. */
  readonly listEventDeliveries: {
    readonly params: {
      readonly id: string
    }
    readonly query: {
      readonly status?: 'pending' | 'delivered' | 'failed'
      /** `nextCursor` of the page before. */
      readonly cursor?: string
      readonly limit?: number
    }
    readonly answer: {
      readonly data: readonly {
        /** The id of the event, which is sent as `webhook-id`. */
        readonly id: string
        readonly projectId: string
        readonly type: 'session.revoked' | 'session.rotated' | 'member.roles_changed' | 'member.left' | 'member.blocked' | 'member.unblocked' | 'member.erased' | 'project.disabled' | 'key.ending' | 'key.ended' | 'reset'
        readonly memberId: string | null
        readonly status: 'pending' | 'delivered' | 'failed'
        readonly attempts: number
        readonly lastStatus: number | null
        readonly lastError: string | null
        readonly createdAt: string
        readonly lastAttemptAt: string | null
        readonly nextAttemptAt: string | null
        readonly deliveredAt: string | null
        readonly failedAt: string | null
      }[]
      readonly nextCursor: string | null
    }
  }
  /** Send an event again. */
  readonly resendEventDelivery: {
    readonly params: {
      readonly id: string
      readonly eventId: string
    }
    readonly answer: {
      /** The id of the event, which is sent as `webhook-id`. */
      readonly id: string
      readonly projectId: string
      readonly type: 'session.revoked' | 'session.rotated' | 'member.roles_changed' | 'member.left' | 'member.blocked' | 'member.unblocked' | 'member.erased' | 'project.disabled' | 'key.ending' | 'key.ended' | 'reset'
      readonly memberId: string | null
      readonly status: 'pending' | 'delivered' | 'failed'
      readonly attempts: number
      readonly lastStatus: number | null
      readonly lastError: string | null
      readonly createdAt: string
      readonly lastAttemptAt: string | null
      readonly nextAttemptAt: string | null
      readonly deliveredAt: string | null
      readonly failedAt: string | null
    }
  }
  /** Make another signing secret for events. */
  readonly rotateEventsSecret: {
    readonly params: {
      readonly id: string
    }
    readonly body?: RotateEventsSecret
    readonly answer: {
      readonly secret: string
      readonly formerEndsAt: string | null
    }
  }
  /** Notifications to the webhook of a project, newest first. */
  readonly listDeliveries: {
    readonly params: {
      readonly id: string
    }
    readonly query: {
      readonly status?: 'pending' | 'delivered' | 'failed'
      /** `nextCursor` of the page before. */
      readonly cursor?: string
      readonly limit?: number
    }
    readonly answer: {
      readonly data: readonly {
        readonly id: string
        readonly projectId: string
        readonly type: 'key.regenerated' | 'key.revoked' | 'key.restored' | 'key.added' | 'key.ending' | 'access.granted' | 'access.updated' | 'access.revoked' | 'project.deactivated' | 'events.disabled' | 'submission.received'
        /** What is posted. */
        readonly text: string
        readonly status: 'pending' | 'delivered' | 'failed'
        readonly attempts: number
        readonly lastStatus: number | null
        readonly lastError: string | null
        readonly createdAt: string
        readonly lastAttemptAt: string | null
        readonly nextAttemptAt: string | null
        readonly deliveredAt: string | null
        readonly failedAt: string | null
      }[]
      readonly nextCursor: string | null
    }
  }
  /** Send a notification again. */
  readonly resendDelivery: {
    readonly params: {
      readonly id: string
      readonly deliveryId: string
    }
    readonly answer: {
      readonly id: string
      readonly projectId: string
      readonly type: 'key.regenerated' | 'key.revoked' | 'key.restored' | 'key.added' | 'key.ending' | 'access.granted' | 'access.updated' | 'access.revoked' | 'project.deactivated' | 'events.disabled' | 'submission.received'
      /** What is posted. */
      readonly text: string
      readonly status: 'pending' | 'delivered' | 'failed'
      readonly attempts: number
      readonly lastStatus: number | null
      readonly lastError: string | null
      readonly createdAt: string
      readonly lastAttemptAt: string | null
      readonly nextAttemptAt: string | null
      readonly deliveredAt: string | null
      readonly failedAt: string | null
    }
  }
  /** Back-channel logouts of a project, newest first. */
  readonly listLogoutDeliveries: {
    readonly params: {
      readonly id: string
    }
    readonly query: {
      readonly status?: 'pending' | 'delivered' | 'failed'
      /** `nextCursor` of the page before. */
      readonly cursor?: string
      readonly limit?: number
    }
    readonly answer: {
      readonly data: readonly {
        readonly id: string
        readonly projectId: string
        /** The session that ended: `sid` of the logout token. */
        readonly sessionId: string
        readonly memberId: string
        /** Where it is told. */
        readonly uri: string
        readonly status: 'pending' | 'delivered' | 'failed'
        readonly attempts: number
        readonly lastStatus: number | null
        readonly lastError: string | null
        /** When the session ended. */
        readonly createdAt: string
        readonly lastAttemptAt: string | null
        readonly nextAttemptAt: string | null
        readonly deliveredAt: string | null
        readonly failedAt: string | null
      }[]
      readonly nextCursor: string | null
    }
  }
  /** Tell a client of a logout again. */
  readonly resendLogoutDelivery: {
    readonly params: {
      readonly id: string
      readonly deliveryId: string
    }
    readonly answer: {
      readonly id: string
      readonly projectId: string
      /** The session that ended: `sid` of the logout token. */
      readonly sessionId: string
      readonly memberId: string
      /** Where it is told. */
      readonly uri: string
      readonly status: 'pending' | 'delivered' | 'failed'
      readonly attempts: number
      readonly lastStatus: number | null
      readonly lastError: string | null
      /** When the session ended. */
      readonly createdAt: string
      readonly lastAttemptAt: string | null
      readonly nextAttemptAt: string | null
      readonly deliveredAt: string | null
      readonly failedAt: string | null
    }
  }
  /** Does the chain of the audit log verify? */
  readonly auditChain: {
    readonly answer: AuditChain
  }
  /** Download the same entries as CSV. */
  readonly exportAuditLogs: {
    readonly query: {
      /** From this moment on. A date alone is its first moment in UTC. */
      readonly dateFrom?: string
      /** Up to and including this moment. A date alone is the whole day, in UTC. */
      readonly dateTo?: string
      /** Member id of the admin. */
      readonly actorId?: string
      /** What this member did as an admin, and what was done to them. */
      readonly memberId?: string
      /** `project`, `webhook`, `server`, `member` … */
      readonly targetType?: string
      /** Id of what it was done to, exactly. */
      readonly targetId?: string
      /** Changes of the settings are `permission`, of an own profile `member`. */
      readonly actionType?: 'auth' | 'project' | 'server' | 'role' | 'webhook' | 'member' | 'sync' | 'permission'
      readonly severity?: 'info' | 'warning' | 'error'
      readonly limit?: number
      readonly offset?: number
    }
    readonly answer: Download
  }
  /** List what administrators did, newest first. */
  readonly listAuditLogs: {
    readonly query: {
      /** From this moment on. A date alone is its first moment in UTC. */
      readonly dateFrom?: string
      /** Up to and including this moment. A date alone is the whole day, in UTC. */
      readonly dateTo?: string
      /** Member id of the admin. */
      readonly actorId?: string
      /** What this member did as an admin, and what was done to them. */
      readonly memberId?: string
      /** `project`, `webhook`, `server`, `member` … */
      readonly targetType?: string
      /** Id of what it was done to, exactly. */
      readonly targetId?: string
      /** Changes of the settings are `permission`, of an own profile `member`. */
      readonly actionType?: 'auth' | 'project' | 'server' | 'role' | 'webhook' | 'member' | 'sync' | 'permission'
      readonly severity?: 'info' | 'warning' | 'error'
      readonly limit?: number
      readonly offset?: number
      /** `nextCursor` of the page before: as quick on the last page as on the first. */
      readonly cursor?: string
    }
    readonly answer: {
      readonly data: readonly AuditEntry[]
      readonly total: number | null
      readonly limit: number
      readonly offset: number
      readonly nextCursor: string | null
    }
  }
  /** Check the chain of the audit log again, from its first entry. */
  readonly verifyAuditChain: {
    readonly answer: AuditChain
  }
  /** Who am I? */
  readonly getProfile: {
    readonly answer: AdminProfile
  }
  /** Set or clear the own preferred name. */
  readonly updateProfile: {
    readonly body: {
      readonly preferredName?: string | null
    }
    readonly answer: AdminProfile
  }
  /** Where the value of each setting comes from. */
  readonly getSettingSources: {
    readonly answer: {
      readonly sources: Readonly<Record<string, SettingSource>>
    }
  }
  /** Read the effective settings. */
  readonly getSettings: {
    readonly answer: {
      readonly administration: {
        /** Role in the main server that makes a member auditor. Default from CHAT_AUDITOR_ROLE_ID. */
        readonly auditorRoleId: {
          readonly editable: false
          readonly value: string | null
        }
      }
      readonly cache: {
        /** Without the gateway: age at which a member’s roles are read again; 0 is each time. Default from PERMISSION_TTL_MS. */
        readonly permissionTtlMs: {
          readonly editable: true
          readonly value: number | null
        }
        /** Deprecated: delays nothing; access is read with each answer. Default from PROJECT_ACCESS_TTL_MS. */
        readonly projectAccessTtlMs: {
          readonly editable: false
          readonly value: number | null
        }
        /** Deprecated: delays nothing; a revoked key is refused at once. Default from PROJECT_AUTH_TTL_MS. */
        readonly projectAuthTtlMs: {
          readonly editable: false
          readonly value: number | null
        }
        /** How long statistics are kept. Default from STATS_TTL_MS. */
        readonly statsTtlMs: {
          readonly editable: true
          readonly value: number | null
        }
      }
      readonly chat: {
        /** OAuth callback address. Default from CHAT_CALLBACK_URL. */
        readonly callbackUrl: {
          readonly editable: false
          readonly value: string | null
        }
        /** OAuth client id. Default from CHAT_CLIENT_ID. */
        readonly clientId: {
          readonly editable: false
          readonly value: string | null
        }
        /** Id of the main server. Default from CHAT_GUILD_ID. */
        readonly guildId: {
          readonly editable: false
          readonly value: string | null
        }
        /** OAuth client secret. The value is never shown. */
        readonly clientSecret: {
          readonly editable: false
          readonly isSet: boolean
        }
        /** Bot token. The value is never shown. */
        readonly token: {
          readonly editable: false
          readonly isSet: boolean
        }
      }
      readonly preferences: {
        /** A member seen within so many days counts as active. Default from MEMBER_ACTIVITY_THRESHOLD_DAYS. */
        readonly memberActivityThresholdDays: {
          readonly editable: true
          readonly value: number | null
        }
      }
      readonly rateLimit: {
        /** Requests per window and caller; 0 is no limit. Default from RATE_LIMIT_GLOBAL. */
        readonly globalLimit: {
          readonly editable: false
          readonly value: number | null
        }
        /** Length of the window. Default from RATE_LIMIT_GLOBAL_TTL_MS. */
        readonly globalTtlMs: {
          readonly editable: false
          readonly value: number | null
        }
        /** Inbound webhooks that a project may have. Default from MAX_WEBHOOKS_PER_PROJECT. */
        readonly maxWebhooksPerProject: {
          readonly editable: true
          readonly value: number | null
        }
      }
      readonly retention: {
        /** Days for which counts of requests are kept. Default from RETENTION_USAGE_DAYS. */
        readonly usageDays: {
          readonly editable: true
          readonly value: number | null
        }
        /** Days for which refused keys and sessions are kept, with address and path. Default from RETENTION_AUTH_FAILURES_DAYS. */
        readonly authFailuresDays: {
          readonly editable: true
          readonly value: number | null
        }
        /** Days for which the audit log is kept; 36,500 is a hundred years. Default from RETENTION_AUDIT_DAYS. */
        readonly auditDays: {
          readonly editable: true
          readonly value: number | null
        }
        /** Days for which submissions to inbound webhooks are kept; 36,500 is a hundred years. Default from RETENTION_SUBMISSIONS_DAYS. */
        readonly submissionsDays: {
          readonly editable: true
          readonly value: number | null
        }
        /** Days after a login for which its session keeps address and browser, if it lasts so long. Default from RETENTION_SESSION_ADDRESSES_DAYS. */
        readonly sessionAddressesDays: {
          readonly editable: true
          readonly value: number | null
        }
      }
      readonly security: {
        /** Lifetime of a session; refresh starts it anew. Default from SESSION_TTL_SEC. */
        readonly sessionTtlSec: {
          readonly editable: false
          readonly value: number | null
        }
        /** How long a browser may skip the platform’s screen after a login. Default from SSO_TTL_SEC. */
        readonly ssoTtlSec: {
          readonly editable: false
          readonly value: number | null
        }
        /** Both webhook encryption keys. The value is never shown. */
        readonly webhookEncryptionKey: {
          readonly editable: false
          readonly isSet: boolean
        }
      }
      readonly meta: {
        readonly updatedAt: string | null
        readonly updatedBy: string | null
      }
    }
  }
  /** Clear every stored override. */
  readonly resetSettings: {
    readonly answer: {
      readonly administration: {
        /** Role in the main server that makes a member auditor. Default from CHAT_AUDITOR_ROLE_ID. */
        readonly auditorRoleId: {
          readonly editable: false
          readonly value: string | null
        }
      }
      readonly cache: {
        /** Without the gateway: age at which a member’s roles are read again; 0 is each time. Default from PERMISSION_TTL_MS. */
        readonly permissionTtlMs: {
          readonly editable: true
          readonly value: number | null
        }
        /** Deprecated: delays nothing; access is read with each answer. Default from PROJECT_ACCESS_TTL_MS. */
        readonly projectAccessTtlMs: {
          readonly editable: false
          readonly value: number | null
        }
        /** Deprecated: delays nothing; a revoked key is refused at once. Default from PROJECT_AUTH_TTL_MS. */
        readonly projectAuthTtlMs: {
          readonly editable: false
          readonly value: number | null
        }
        /** How long statistics are kept. Default from STATS_TTL_MS. */
        readonly statsTtlMs: {
          readonly editable: true
          readonly value: number | null
        }
      }
      readonly chat: {
        /** OAuth callback address. Default from CHAT_CALLBACK_URL. */
        readonly callbackUrl: {
          readonly editable: false
          readonly value: string | null
        }
        /** OAuth client id. Default from CHAT_CLIENT_ID. */
        readonly clientId: {
          readonly editable: false
          readonly value: string | null
        }
        /** Id of the main server. Default from CHAT_GUILD_ID. */
        readonly guildId: {
          readonly editable: false
          readonly value: string | null
        }
        /** OAuth client secret. The value is never shown. */
        readonly clientSecret: {
          readonly editable: false
          readonly isSet: boolean
        }
        /** Bot token. The value is never shown. */
        readonly token: {
          readonly editable: false
          readonly isSet: boolean
        }
      }
      readonly preferences: {
        /** A member seen within so many days counts as active. Default from MEMBER_ACTIVITY_THRESHOLD_DAYS. */
        readonly memberActivityThresholdDays: {
          readonly editable: true
          readonly value: number | null
        }
      }
      readonly rateLimit: {
        /** Requests per window and caller; 0 is no limit. Default from RATE_LIMIT_GLOBAL. */
        readonly globalLimit: {
          readonly editable: false
          readonly value: number | null
        }
        /** Length of the window. Default from RATE_LIMIT_GLOBAL_TTL_MS. */
        readonly globalTtlMs: {
          readonly editable: false
          readonly value: number | null
        }
        /** Inbound webhooks that a project may have. Default from MAX_WEBHOOKS_PER_PROJECT. */
        readonly maxWebhooksPerProject: {
          readonly editable: true
          readonly value: number | null
        }
      }
      readonly retention: {
        /** Days for which counts of requests are kept. Default from RETENTION_USAGE_DAYS. */
        readonly usageDays: {
          readonly editable: true
          readonly value: number | null
        }
        /** Days for which refused keys and sessions are kept, with address and path. Default from RETENTION_AUTH_FAILURES_DAYS. */
        readonly authFailuresDays: {
          readonly editable: true
          readonly value: number | null
        }
        /** Days for which the audit log is kept; 36,500 is a hundred years. Default from RETENTION_AUDIT_DAYS. */
        readonly auditDays: {
          readonly editable: true
          readonly value: number | null
        }
        /** Days for which submissions to inbound webhooks are kept; 36,500 is a hundred years. Default from RETENTION_SUBMISSIONS_DAYS. */
        readonly submissionsDays: {
          readonly editable: true
          readonly value: number | null
        }
        /** Days after a login for which its session keeps address and browser, if it lasts so long. Default from RETENTION_SESSION_ADDRESSES_DAYS. */
        readonly sessionAddressesDays: {
          readonly editable: true
          readonly value: number | null
        }
      }
      readonly security: {
        /** Lifetime of a session; refresh starts it anew. Default from SESSION_TTL_SEC. */
        readonly sessionTtlSec: {
          readonly editable: false
          readonly value: number | null
        }
        /** How long a browser may skip the platform’s screen after a login. Default from SSO_TTL_SEC. */
        readonly ssoTtlSec: {
          readonly editable: false
          readonly value: number | null
        }
        /** Both webhook encryption keys. The value is never shown. */
        readonly webhookEncryptionKey: {
          readonly editable: false
          readonly isSet: boolean
        }
      }
      readonly meta: {
        readonly updatedAt: string | null
        readonly updatedBy: string | null
      }
    }
  }
  /** Change settings. */
  readonly updateSettings: {
    readonly body: {
      readonly cache?: {
        /** Without the gateway: age at which a member’s roles are read again; 0 is each time. */
        readonly permissionTtlMs?: number
        /** How long statistics are kept. */
        readonly statsTtlMs?: number
      }
      readonly preferences?: {
        /** A member seen within so many days counts as active. */
        readonly memberActivityThresholdDays?: number
      }
      readonly rateLimit?: {
        /** Inbound webhooks that a project may have. */
        readonly maxWebhooksPerProject?: number
      }
      readonly retention?: {
        /** Days for which counts of requests are kept. */
        readonly usageDays?: number
        /** Days for which refused keys and sessions are kept, with address and path. */
        readonly authFailuresDays?: number
        /** Days for which the audit log is kept; 36,500 is a hundred years. */
        readonly auditDays?: number
        /** Days for which submissions to inbound webhooks are kept; 36,500 is a hundred years. */
        readonly submissionsDays?: number
        /** Days after a login for which its session keeps address and browser, if it lasts so long. */
        readonly sessionAddressesDays?: number
      }
    }
    readonly answer: {
      readonly administration: {
        /** Role in the main server that makes a member auditor. Default from CHAT_AUDITOR_ROLE_ID. */
        readonly auditorRoleId: {
          readonly editable: false
          readonly value: string | null
        }
      }
      readonly cache: {
        /** Without the gateway: age at which a member’s roles are read again; 0 is each time. Default from PERMISSION_TTL_MS. */
        readonly permissionTtlMs: {
          readonly editable: true
          readonly value: number | null
        }
        /** Deprecated: delays nothing; access is read with each answer. Default from PROJECT_ACCESS_TTL_MS. */
        readonly projectAccessTtlMs: {
          readonly editable: false
          readonly value: number | null
        }
        /** Deprecated: delays nothing; a revoked key is refused at once. Default from PROJECT_AUTH_TTL_MS. */
        readonly projectAuthTtlMs: {
          readonly editable: false
          readonly value: number | null
        }
        /** How long statistics are kept. Default from STATS_TTL_MS. */
        readonly statsTtlMs: {
          readonly editable: true
          readonly value: number | null
        }
      }
      readonly chat: {
        /** OAuth callback address. Default from CHAT_CALLBACK_URL. */
        readonly callbackUrl: {
          readonly editable: false
          readonly value: string | null
        }
        /** OAuth client id. Default from CHAT_CLIENT_ID. */
        readonly clientId: {
          readonly editable: false
          readonly value: string | null
        }
        /** Id of the main server. Default from CHAT_GUILD_ID. */
        readonly guildId: {
          readonly editable: false
          readonly value: string | null
        }
        /** OAuth client secret. The value is never shown. */
        readonly clientSecret: {
          readonly editable: false
          readonly isSet: boolean
        }
        /** Bot token. The value is never shown. */
        readonly token: {
          readonly editable: false
          readonly isSet: boolean
        }
      }
      readonly preferences: {
        /** A member seen within so many days counts as active. Default from MEMBER_ACTIVITY_THRESHOLD_DAYS. */
        readonly memberActivityThresholdDays: {
          readonly editable: true
          readonly value: number | null
        }
      }
      readonly rateLimit: {
        /** Requests per window and caller; 0 is no limit. Default from RATE_LIMIT_GLOBAL. */
        readonly globalLimit: {
          readonly editable: false
          readonly value: number | null
        }
        /** Length of the window. Default from RATE_LIMIT_GLOBAL_TTL_MS. */
        readonly globalTtlMs: {
          readonly editable: false
          readonly value: number | null
        }
        /** Inbound webhooks that a project may have. Default from MAX_WEBHOOKS_PER_PROJECT. */
        readonly maxWebhooksPerProject: {
          readonly editable: true
          readonly value: number | null
        }
      }
      readonly retention: {
        /** Days for which counts of requests are kept. Default from RETENTION_USAGE_DAYS. */
        readonly usageDays: {
          readonly editable: true
          readonly value: number | null
        }
        /** Days for which refused keys and sessions are kept, with address and path. Default from RETENTION_AUTH_FAILURES_DAYS. */
        readonly authFailuresDays: {
          readonly editable: true
          readonly value: number | null
        }
        /** Days for which the audit log is kept; 36,500 is a hundred years. Default from RETENTION_AUDIT_DAYS. */
        readonly auditDays: {
          readonly editable: true
          readonly value: number | null
        }
        /** Days for which submissions to inbound webhooks are kept; 36,500 is a hundred years. Default from RETENTION_SUBMISSIONS_DAYS. */
        readonly submissionsDays: {
          readonly editable: true
          readonly value: number | null
        }
        /** Days after a login for which its session keeps address and browser, if it lasts so long. Default from RETENTION_SESSION_ADDRESSES_DAYS. */
        readonly sessionAddressesDays: {
          readonly editable: true
          readonly value: number | null
        }
      }
      readonly security: {
        /** Lifetime of a session; refresh starts it anew. Default from SESSION_TTL_SEC. */
        readonly sessionTtlSec: {
          readonly editable: false
          readonly value: number | null
        }
        /** How long a browser may skip the platform’s screen after a login. Default from SSO_TTL_SEC. */
        readonly ssoTtlSec: {
          readonly editable: false
          readonly value: number | null
        }
        /** Both webhook encryption keys. The value is never shown. */
        readonly webhookEncryptionKey: {
          readonly editable: false
          readonly isSet: boolean
        }
      }
      readonly meta: {
        readonly updatedAt: string | null
        readonly updatedBy: string | null
      }
    }
  }
  /** List rejected keys, sessions, codes and signatures, refused logins and denied access, newest first. */
  readonly authFailures: {
    readonly query: {
      /** From this moment on. A date alone is its first moment in UTC. */
      readonly dateFrom?: string
      /** Up to and including this moment. A date alone is the whole day, in UTC. */
      readonly dateTo?: string
      readonly kind?: 'api_key' | 'session' | 'refresh' | 'code' | 'signature' | 'admin'
      readonly reason?: string
      /** Exactly this address. */
      readonly address?: string
      readonly projectId?: string
      /** `rck_` and eight characters. */
      readonly keyPrefix?: string
      /** Where it was known who asked. */
      readonly memberId?: string
      /** `nextCursor` of the page before: as quick on the last page as on the first. */
      readonly cursor?: string
      readonly limit?: number
      readonly offset?: number
    }
    readonly answer: {
      readonly data: readonly AuthFailure[]
      readonly total: number | null
      readonly limit: number
      readonly offset: number
      readonly nextCursor: string | null
    }
  }
  /** List replaced keys that are still used, the one that ends first at the top. */
  readonly replacedKeys: {
    readonly answer: {
      readonly data: readonly ReplacedKey[]
      readonly total: number
    }
  }
  /** Members, sessions and projects in numbers. */
  readonly stats: {
    readonly answer: Stats
  }
  /** Service, chat platform, database and cache, in detail. */
  readonly systemHealth: {
    readonly answer: SystemHealth
  }
  /** How often what was asked, minute by minute, newest first. */
  readonly usage: {
    readonly query: {
      /** From this minute on; by default an hour before `to`, with `bucket` a day. */
      readonly from?: string
      /** Up to and including this minute; now by default. */
      readonly to?: string
      readonly projectId?: string
      /** Method and path template, as `route` of an answer says them; any of them. */
      readonly route?: readonly string[]
      /** Only answers with such a status. */
      readonly status?: '2xx' | '3xx' | '4xx' | '5xx'
      /** Sums by these lengths of time, in UTC, instead of rows: for charts. At most 500 points are answered, so a long period takes long buckets. */
      readonly bucket?: '1m' | '5m' | '15m' | '1h' | '6h' | '1d'
      /** With `bucket`: one series for each of these. */
      readonly groupBy?: 'none' | 'project' | 'route' | 'status'
      readonly limit?: number
      readonly offset?: number
    }
    readonly answer: {
      readonly data: readonly UsageMinute[]
      /** Rows of the period; no more than 100,000 are counted. */
      readonly total: number
      readonly limit: number
      readonly offset: number
    } | UsageChart
  }
  /** How long answers take, and how many are errors, by route or project, the busiest first. */
  readonly latency: {
    readonly query: {
      /** From this minute on; by default a day before `to`. */
      readonly from?: string
      /** Up to and including this minute; now by default. */
      readonly to?: string
      readonly projectId?: string
      /** Method and path template, as `usage` says them; any of them. */
      readonly route?: readonly string[]
      /** A row for each of these. */
      readonly groupBy?: 'route' | 'project'
      readonly limit?: number
    }
    readonly answer: {
      readonly from: string
      readonly to: string
      /** Of `took`. */
      readonly boundsMs: readonly number[]
      readonly data: readonly Latency[]
    }
  }
  /** What waits to be sent or done, by queue. */
  readonly queues: {
    readonly answer: {
      readonly data: readonly Queue[]
    }
  }
  /** List what needs an administrator, the worst first, each with its mend. */
  readonly listAttention: {
    readonly answer: {
      readonly data: readonly Attention[]
      readonly total: number
    }
  }
  /** What changed, as it changes: ids to read anew. */
  readonly streamAdminEvents: {
    readonly answer: Stream<{
      readonly 'audit.appended': {
        /** At most 50; `more` says that there were others, so read the log anew. */
        readonly entryIds: readonly string[]
        readonly more: boolean
      }
      readonly 'members.changed': {
        readonly serverIds: readonly string[]
        /** At most 50; `more` says that there were others, so read the list anew. */
        readonly memberIds: readonly string[]
        readonly more: boolean
      }
      readonly 'sync.changed': {
        /** At most 50; `more` says that there were others, so read the servers anew. */
        readonly serverIds: readonly string[]
        readonly more: boolean
      }
      readonly 'delivery.changed': {
        /** At most 50; `more` says that there were others, so read the deliveries anew. */
        readonly projectIds: readonly string[]
        readonly more: boolean
      }
      readonly 'health.changed': {
        readonly status: 'ok' | 'degraded'
      }
      readonly 'reset': {
        readonly reason: 'unknown_id' | 'too_far_behind'
      }
    }>
  }
}

/** Where each of it is. */
export const adminAddresses = {
  adminLogout: { method: 'POST', path: '/api/auth/admin/logout' },
  adminToken: { method: 'POST', path: '/api/auth/admin/token' },
  endMemberSessions: { method: 'DELETE', path: '/api/admin/members/{id}/sessions' },
  listMemberSessions: { method: 'GET', path: '/api/admin/members/{id}/sessions' },
  revokeMemberSession: { method: 'DELETE', path: '/api/admin/members/{id}/sessions/{sessionId}' },
  listProjectSessions: { method: 'GET', path: '/api/admin/projects/{id}/sessions' },
  addRedirectUri: { method: 'POST', path: '/api/admin/projects/{id}/redirect-uris' },
  createProject: { method: 'POST', path: '/api/admin/projects' },
  deleteProject: { method: 'DELETE', path: '/api/admin/projects/{id}' },
  getProject: { method: 'GET', path: '/api/admin/projects/{id}' },
  listProjects: { method: 'GET', path: '/api/admin/projects' },
  removeRedirectUri: { method: 'DELETE', path: '/api/admin/projects/{id}/redirect-uris' },
  setRedirectUris: { method: 'PATCH', path: '/api/admin/projects/{id}/redirect-uri' },
  updateProject: { method: 'PATCH', path: '/api/admin/projects/{id}' },
  addApiKey: { method: 'POST', path: '/api/admin/projects/{id}/keys' },
  getApiKey: { method: 'GET', path: '/api/admin/projects/{id}/api-key' },
  listApiKeys: { method: 'GET', path: '/api/admin/projects/{id}/keys' },
  regenerateApiKey: { method: 'POST', path: '/api/admin/projects/{id}/regenerate-api-key' },
  restoreApiKey: { method: 'POST', path: '/api/admin/projects/{id}/restore-key' },
  revokeApiKey: { method: 'DELETE', path: '/api/admin/projects/{id}/key' },
  revokeOneApiKey: { method: 'DELETE', path: '/api/admin/projects/{id}/keys/{keyId}' },
  accessMatrix: { method: 'GET', path: '/api/admin/projects/access/matrix' },
  accessTrail: { method: 'GET', path: '/api/admin/projects/access/audit' },
  listProjectServers: { method: 'GET', path: '/api/admin/projects/{projectId}/servers' },
  listServerProjects: { method: 'GET', path: '/api/admin/projects/servers/{serverId}/projects' },
  revokeAccess: { method: 'DELETE', path: '/api/admin/projects/{projectId}/servers/{serverId}' },
  setAccess: { method: 'PUT', path: '/api/admin/projects/{projectId}/servers/{serverId}' },
  addServer: { method: 'POST', path: '/api/admin/servers' },
  getBot: { method: 'GET', path: '/api/admin/bot' },
  listRoles: { method: 'GET', path: '/api/admin/servers/{id}/roles' },
  listServers: { method: 'GET', path: '/api/admin/servers' },
  removeServer: { method: 'DELETE', path: '/api/admin/servers/{id}' },
  syncServer: { method: 'POST', path: '/api/admin/servers/{id}/sync' },
  updateServer: { method: 'PATCH', path: '/api/admin/servers/{id}' },
  exportMembers: { method: 'GET', path: '/api/admin/members/export' },
  listCrossServerMembers: { method: 'GET', path: '/api/admin/members/cross-server' },
  listMemberServers: { method: 'GET', path: '/api/admin/members/{chat_user_id}/servers' },
  listMembers: { method: 'GET', path: '/api/admin/members' },
  refreshMember: { method: 'POST', path: '/api/admin/members/{chat_user_id}/refresh' },
  getImage: { method: 'GET', path: '/api/admin/images/{kind}/{id}/{hash}' },
  explain: { method: 'POST', path: '/api/admin/explain' },
  blockMember: { method: 'PUT', path: '/api/admin/members/{id}/block' },
  unblockMember: { method: 'DELETE', path: '/api/admin/members/{id}/block' },
  eraseMember: { method: 'DELETE', path: '/api/admin/members/{id}' },
  getMemberData: { method: 'GET', path: '/api/admin/members/{id}/data' },
  createWebhook: { method: 'POST', path: '/api/admin/projects/{projectId}/inbound-webhooks' },
  deleteWebhook: { method: 'DELETE', path: '/api/admin/projects/{projectId}/inbound-webhooks/{webhookId}' },
  exportSubmissions: { method: 'GET', path: '/api/admin/projects/{projectId}/inbound-webhooks/{webhookId}/submissions/export' },
  getWebhook: { method: 'GET', path: '/api/admin/projects/{projectId}/inbound-webhooks/{webhookId}' },
  listSubmissions: { method: 'GET', path: '/api/admin/projects/{projectId}/inbound-webhooks/{webhookId}/submissions' },
  listWebhooks: { method: 'GET', path: '/api/admin/projects/{projectId}/inbound-webhooks' },
  rotateSecret: { method: 'POST', path: '/api/admin/projects/{projectId}/inbound-webhooks/{webhookId}/rotate-secret' },
  tryPayload: { method: 'POST', path: '/api/admin/projects/{projectId}/inbound-webhooks/{webhookId}/try' },
  updateWebhook: { method: 'PATCH', path: '/api/admin/projects/{projectId}/inbound-webhooks/{webhookId}' },
  listAllWebhooks: { method: 'GET', path: '/api/admin/inbound-webhooks' },
  listEventDeliveries: { method: 'GET', path: '/api/admin/projects/{id}/event-deliveries' },
  resendEventDelivery: { method: 'POST', path: '/api/admin/projects/{id}/event-deliveries/{eventId}/resend' },
  rotateEventsSecret: { method: 'POST', path: '/api/admin/projects/{id}/rotate-events-secret' },
  listDeliveries: { method: 'GET', path: '/api/admin/projects/{id}/deliveries' },
  resendDelivery: { method: 'POST', path: '/api/admin/projects/{id}/deliveries/{deliveryId}/resend' },
  listLogoutDeliveries: { method: 'GET', path: '/api/admin/projects/{id}/logout-deliveries' },
  resendLogoutDelivery: { method: 'POST', path: '/api/admin/projects/{id}/logout-deliveries/{deliveryId}/resend' },
  auditChain: { method: 'GET', path: '/api/admin/audit/chain' },
  exportAuditLogs: { method: 'GET', path: '/api/admin/audit/logs/export' },
  listAuditLogs: { method: 'GET', path: '/api/admin/audit/logs' },
  verifyAuditChain: { method: 'POST', path: '/api/admin/audit/chain/verify' },
  getProfile: { method: 'GET', path: '/api/admin/profile' },
  updateProfile: { method: 'PATCH', path: '/api/admin/profile' },
  getSettingSources: { method: 'GET', path: '/api/admin/settings/sources' },
  getSettings: { method: 'GET', path: '/api/admin/settings' },
  resetSettings: { method: 'POST', path: '/api/admin/settings/reset' },
  updateSettings: { method: 'PATCH', path: '/api/admin/settings' },
  authFailures: { method: 'GET', path: '/api/admin/monitoring/auth-failures' },
  replacedKeys: { method: 'GET', path: '/api/admin/monitoring/replaced-keys' },
  stats: { method: 'GET', path: '/api/admin/monitoring/stats' },
  systemHealth: { method: 'GET', path: '/api/admin/monitoring/health' },
  usage: { method: 'GET', path: '/api/admin/monitoring/usage' },
  latency: { method: 'GET', path: '/api/admin/monitoring/latency' },
  queues: { method: 'GET', path: '/api/admin/monitoring/queues' },
  listAttention: { method: 'GET', path: '/api/admin/attention' },
  streamAdminEvents: { method: 'GET', path: '/api/admin/stream' },
} as const
