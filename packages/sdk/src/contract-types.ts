// Generated from packages/contract by `npm run docs`: not to be edited.

/** A member of the community. */
export interface Member {
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

/** A role that a member holds. */
export interface Role {
  readonly roleId: string
  readonly roleName: string
  readonly roleColor: number | null
  readonly rolePosition: number | null
}

/** One thing that is wrong with a request. */
export interface ProblemDetail {
  /** JSON Pointer into the body, or into the query or path parameters. */
  readonly path: string
  readonly message: string
  readonly code: string
}

/** A live session: who it is, and what roles they hold in the session’s server right now. */
export interface Session {
  readonly member: Member
  /** Roles in the server of the session, now; highest first. */
  readonly roles: readonly Role[]
  readonly session: {
    readonly id: string
    readonly serverId: string
    readonly createdAt: string
    readonly expiresAt: string
  }
  readonly rolesAsOf: string
  readonly rolesSource: 'gateway' | 'rest' | 'mirror'
}

/** What an exchange answers: the pair to keep, and who has logged in. */
export interface NewSession {
  readonly token: string
  readonly refreshToken: string
  readonly expiresAt: string
  readonly member: Member
  readonly roles: readonly Role[]
}

/** One of a member’s sessions. Never carries a token. */
export interface SessionListItem {
  readonly id: string
  /** A session of a project, of the administration, or the single sign-on of a browser. */
  readonly kind: 'project' | 'admin' | 'sso'
  readonly createdAt: string
  readonly expiresAt: string
  readonly projectId: string | null
  readonly serverId: string | null
  /** The browser that it was made for. Null where the session that asks is of another project. */
  readonly clientInfo: {
    readonly ipAddress: string | null
    readonly userAgent: string | null
  } | null
}

/** A member of one server, with the roles there. */
export interface ServerMember {
  readonly memberId: string
  readonly username: string
  readonly globalName: string | null
  readonly displayName: string | null
  readonly avatar: string | null
  readonly joinedAt: string | null
  readonly roles: readonly Role[]
}

/** An address that takes JSON of one schema. */
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

/** A webhook that was just made, with its secret. */
export interface NewInboundWebhook {
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

/** One payload that was taken, as it was sent. */
export interface Submission {
  readonly id: string
  readonly receivedAt: string
  /** It carried a signature, which was good. */
  readonly isSigned: boolean
  readonly origin: string | null
  /** As it was sent. Read it with a parser that keeps long numbers where there may be any. */
  readonly payload: unknown
}

/** What the `data` of an event is, by the event’s name. Never a token. */
export interface EventData {
  readonly 'session.revoked': {
    readonly sessionId: string
    readonly memberId: string
    readonly serverId: string
    readonly reason: 'logout' | 'logout_all' | 'revoked' | 'code_reused' | 'refresh_token_reused' | 'member_left' | 'server_removed' | 'member_blocked' | 'member_erased' | 'token_revoked' | null
    readonly at: string
  }
  readonly 'session.rotated': {
    readonly sessionId: string
    readonly memberId: string
    readonly serverId: string
    readonly expiresAt: string
    readonly at: string
  }
  readonly 'member.roles_changed': {
    readonly memberId: string
    readonly serverId: string
    readonly at: string
  }
  readonly 'member.left': {
    readonly memberId: string
    readonly serverId: string
    readonly at: string
  }
  readonly 'member.blocked': {
    readonly memberId: string
    readonly until: string | null
    readonly at: string
  }
  readonly 'member.unblocked': {
    readonly memberId: string
    readonly at: string
  }
  readonly 'member.erased': {
    readonly memberId: string
    readonly at: string
  }
  readonly 'project.disabled': {
    readonly projectId: string
    readonly reason: 'deactivated' | 'deleted' | 'key_revoked' | 'key_regenerated'
    readonly at: string
  }
  readonly 'key.ending': {
    readonly prefix: string
    readonly endsAt: string
    readonly at: string
  }
  readonly 'key.ended': {
    readonly prefix: string
    readonly reason: 'revoked' | 'regenerated' | 'expired'
    readonly at: string
  }
  readonly 'reset': {
    readonly reason: 'unknown_id' | 'too_far_behind' | 'access_changed'
    readonly at: string
  }
}

/** Every refusal of the service by its code, with the HTTP status that it comes with. */
export interface ErrorStatuses {
  /** The request is invalid. */
  readonly VALIDATION_FAILED: 400
  /** The request body is not valid JSON. */
  readonly MALFORMED_JSON: 400
  /** The request could not be understood. */
  readonly BAD_REQUEST: 400
  /** No project has this client_id. */
  readonly UNKNOWN_PROJECT: 400
  /** This login request is unknown, expired or already used. */
  readonly LOGIN_REQUEST_INVALID: 400
  /** This code was requested with PKCE, and codeVerifier is missing. */
  readonly CHALLENGE_WITHOUT_VERIFIER: 400
  /** Nobody is logged in to this host. */
  readonly LOGIN_REQUIRED: 401
  /** Only a trusted reverse proxy may ask this. */
  readonly PROXY_NOT_TRUSTED: 403
  /** What the proxy forwards cannot be understood, or says two things. */
  readonly FORWARDED_REQUEST_INVALID: 403
  /** The proxy sends the login back to this site. */
  readonly LOGIN_LOOP: 400
  /** No project protects this host. */
  readonly HOST_UNKNOWN: 403
  /** The account does not hold a role that this host asks for. */
  readonly ROLE_LACKING: 403
  /** The login ended without a session. */
  readonly LOGIN_REFUSED: 403
  /** The API key is missing, malformed, unknown or revoked. */
  readonly INVALID_API_KEY: 401
  /** The project is inactive. */
  readonly PROJECT_INACTIVE: 401 | 403
  /** The session token is missing, invalid, expired or revoked. */
  readonly INVALID_TOKEN: 401
  /** The code is invalid, expired or already used. */
  readonly INVALID_CODE: 401
  /** The refresh token does not belong to this session. */
  readonly INVALID_REFRESH_TOKEN: 401
  /** This pair was rotated a moment ago. */
  readonly REFRESH_TOKEN_SUPERSEDED: 401
  /** This pair was used long ago. The session was revoked, because one of its holders may be a thief. */
  readonly REFRESH_TOKEN_REUSED: 401
  /** The metrics token is missing or wrong. */
  readonly INVALID_METRICS_TOKEN: 401
  /** The signature is missing, malformed, wrong or too old. */
  readonly SIGNATURE_INVALID: 401
  /** The redirect URI is not on the list of the project. */
  readonly REDIRECT_URI_NOT_ALLOWED: 403
  /** The project has no access to this server. */
  readonly SERVER_NOT_ACCESSIBLE: 403
  /** The project lacks the scope for this in that server. */
  readonly SCOPE_REQUIRED: 403
  /** The project lacks the operation for this. */
  readonly OPERATION_REQUIRED: 403
  /** Reading these submissions takes a role that you do not hold. */
  readonly ROLE_REQUIRED: 403
  /** The origin is not on the list of the webhook. */
  readonly ORIGIN_NOT_ALLOWED: 403
  /** System Admin access is required. */
  readonly NOT_SYSTEM_ADMIN: 403
  /** This member is blocked. */
  readonly MEMBER_BLOCKED: 403
  /** Metrics are answered on this machine only, because METRICS_TOKEN is not set. */
  readonly METRICS_LOCAL_ONLY: 403
  /** The cookie is only taken from pages of this service. */
  readonly CROSS_SITE_REQUEST: 403
  /** A page must neither fetch nor embed this address. */
  readonly NAVIGATION_REQUIRED: 403
  /** There is nothing at this address. */
  readonly NOT_FOUND: 404
  /** Project not found. */
  readonly PROJECT_NOT_FOUND: 404
  /** Server not found. */
  readonly SERVER_NOT_FOUND: 404
  /** Session not found. */
  readonly SESSION_NOT_FOUND: 404
  /** The project has no such key. */
  readonly API_KEY_NOT_FOUND: 404
  /** Member not found. */
  readonly MEMBER_NOT_FOUND: 404
  /** The project has no such redirect URI. */
  readonly REDIRECT_URI_NOT_FOUND: 404
  /** The project has no mapping to this server. */
  readonly ACCESS_NOT_FOUND: 404
  /** There is no such picture. */
  readonly IMAGE_NOT_FOUND: 404
  /** Inbound webhook not found. */
  readonly WEBHOOK_NOT_FOUND: 404
  /** Delivery not found. */
  readonly DELIVERY_NOT_FOUND: 404
  /** This address takes other methods. */
  readonly METHOD_NOT_ALLOWED: 405
  /** The request did not arrive in time. */
  readonly REQUEST_TIMEOUT: 408
  /** An administrator cannot do this to their own account. */
  readonly OWN_ACCOUNT: 409
  /** Another project protects one of these hosts. */
  readonly HOST_TAKEN: 409
  /** Another project has this name. */
  readonly PROJECT_NAME_TAKEN: 409
  /** The newest key of the project is not revoked. */
  readonly NO_REVOKED_KEY: 409
  /** The project has five keys that work. */
  readonly API_KEY_LIMIT_REACHED: 409
  /** Another server is the main server. */
  readonly MAIN_SERVER_EXISTS: 409
  /** This server decides who is a System Admin and cannot be removed. */
  readonly MAIN_SERVER_REQUIRED: 409
  /** This server is already registered. */
  readonly SERVER_EXISTS: 409
  /** The project has as many inbound webhooks as it may. */
  readonly WEBHOOK_LIMIT_REACHED: 409
  /** Another inbound webhook of the project has this slug. */
  readonly WEBHOOK_SLUG_TAKEN: 409
  /** The project has no webhook address to send to. */
  readonly WEBHOOK_URL_MISSING: 409
  /** The project has no address for events, or it is switched off. */
  readonly EVENTS_URL_MISSING: 409
  /** The project has no address for logouts, or is no client of OpenID Connect. */
  readonly LOGOUT_URI_MISSING: 409
  /** This signature was already used. */
  readonly SIGNATURE_REPLAYED: 409
  /** Changes after this cursor cannot be told. */
  readonly CURSOR_UNKNOWN: 410
  /** The inbound webhook is inactive. */
  readonly WEBHOOK_INACTIVE: 410
  /** The request body is too large. */
  readonly PAYLOAD_TOO_LARGE: 413
  /** The address is too long. */
  readonly URI_TOO_LONG: 414
  /** The body is not JSON, by its headers. */
  readonly UNSUPPORTED_MEDIA_TYPE: 415
  /** Of Expect, nothing but 100-continue is met. */
  readonly EXPECTATION_FAILED: 417
  /** The payload does not fit the schema of the webhook. */
  readonly PAYLOAD_INVALID: 422
  /** This Idempotency-Key came with another payload before. */
  readonly IDEMPOTENCY_KEY_REUSED: 422
  /** The chat platform does not show this server to the bot. */
  readonly BOT_NOT_IN_SERVER: 422
  /** Too many requests. */
  readonly RATE_LIMITED: 429
  /** The request headers are too large. */
  readonly HEADERS_TOO_LARGE: 431
  /** Something went wrong on our side. */
  readonly INTERNAL_ERROR: 500
  /** An encryption key is not configured. */
  readonly ENCRYPTION_KEY_MISSING: 500
  /** This secret was sealed under another key and cannot be read. */
  readonly SECRET_UNREADABLE: 500
  /** The chat platform cannot be reached right now. */
  readonly CHAT_PLATFORM_UNAVAILABLE: 503
  /** Logging in is not configured. */
  readonly LOGIN_NOT_CONFIGURED: 503
  /** The database cannot be reached right now. */
  readonly DATABASE_UNAVAILABLE: 503
  /** The service has more to do than it can. */
  readonly SERVICE_OVERLOADED: 503
  /** This instance is shutting down. */
  readonly SHUTTING_DOWN: 503
}

/** The endpoints that a project may call, by their names in the pages of the API. */
export interface Endpoints {
  /** Exchange a one-time code for a session. */
  readonly exchangeCode: {
    readonly method: 'POST'
    readonly path: '/api/auth/token'
    readonly body: {
      /** Project id that asked for the code. */
      readonly clientId: string
      readonly code: string
      readonly redirectUri: string
      readonly codeVerifier?: string
    }
    readonly answer: NewSession
  }
  /** List the sessions of the current member, newest first. */
  readonly listSessions: {
    readonly method: 'GET'
    readonly path: '/api/auth/sessions'
    readonly answer: {
      readonly sessions: readonly SessionListItem[]
    }
  }
  /** End one session of the calling project. */
  readonly logout: {
    readonly method: 'POST'
    readonly path: '/api/auth/logout'
    readonly body: {
      readonly token: string
    }
    readonly answer: {
      readonly success: boolean
    }
  }
  /** End all sessions of a member in the calling project. */
  readonly logoutAll: {
    readonly method: 'POST'
    readonly path: '/api/auth/logout-all'
    readonly body: {
      readonly memberId: string
    }
    readonly answer: {
      readonly success: boolean
    }
  }
  /** Rotate the pair of a session. */
  readonly refreshSession: {
    readonly method: 'POST'
    readonly path: '/api/auth/token/refresh'
    readonly body: {
      /** Required with a Bearer token. */
      readonly refreshToken?: string
    }
    readonly answer: {
      /** Absent where it went into a cookie. */
      readonly accessToken?: string
      readonly expiresAt: string
      /** Absent where it went into a cookie. */
      readonly refreshToken?: string
    }
  }
  /** Sign the current member out everywhere. */
  readonly revokeAllSessions: {
    readonly method: 'DELETE'
    readonly path: '/api/auth/sessions'
    readonly answer: undefined
  }
  /** Revoke one of the current member’s sessions. */
  readonly revokeSession: {
    readonly method: 'DELETE'
    readonly path: '/api/auth/sessions/{sessionId}'
    readonly params: {
      readonly sessionId: string
    }
    readonly answer: undefined
  }
  /** Who is this, and what roles do they hold right now? */
  readonly validateSession: {
    readonly method: 'POST'
    readonly path: '/api/auth/validate'
    readonly body: {
      readonly token: string
    }
    readonly answer: Session
  }
  /** Which of up to 1,000 members hold these roles? */
  readonly checkManyPermissions: {
    readonly method: 'POST'
    readonly path: '/api/servers/{serverId}/permissions/check-many'
    readonly params: {
      readonly serverId: string
    }
    readonly body: {
      readonly memberIds: readonly string[]
      readonly anyOf?: readonly string[]
      readonly allOf?: readonly string[]
    }
    readonly answer: {
      readonly data: readonly {
        readonly memberId: string
        readonly allowed: boolean
        readonly isMember: boolean
        readonly roles: readonly Role[]
        /** `gateway`: followed live. `rest`: read within `permissionTtlMs`. `mirror`: older, and nobody was asked again. */
        readonly rolesSource: 'gateway' | 'rest' | 'mirror'
        readonly rolesAsOf: string | null
      }[]
    }
  }
  /** Does a member hold these roles right now? */
  readonly checkPermissions: {
    readonly method: 'POST'
    readonly path: '/api/servers/{serverId}/permissions/check'
    readonly params: {
      readonly serverId: string
    }
    readonly body: {
      readonly memberId: string
      readonly anyOf?: readonly string[]
      readonly allOf?: readonly string[]
    }
    readonly answer: {
      readonly allowed: boolean
      readonly isMember: boolean
      readonly roles: readonly Role[]
    }
  }
  /** One member of a server. */
  readonly getServerMember: {
    readonly method: 'GET'
    readonly path: '/api/servers/{serverId}/members/{memberId}'
    readonly params: {
      readonly serverId: string
      readonly memberId: string
    }
    readonly answer: ServerMember
  }
  /** Members of a server, in pages. */
  readonly listServerMembers: {
    readonly method: 'GET'
    readonly path: '/api/servers/{serverId}/members'
    readonly params: {
      readonly serverId: string
    }
    readonly query: {
      readonly cursor?: string
      /** A `changeCursor`; not together with `cursor`. */
      readonly changedSince?: string
      readonly limit?: number
    }
    readonly answer: {
      readonly data: readonly ServerMember[]
      readonly nextCursor: string | null
      /** On the first page, and with `changedSince`: where changes are asked for next. */
      readonly changeCursor?: string
      readonly removed?: readonly {
        readonly memberId: string
        readonly leftAt: string
      }[]
      readonly roles?: readonly Role[]
      readonly hasMore?: boolean
    }
  }
  /** Create an inbound webhook of the calling project. */
  readonly createOwnWebhook: {
    readonly method: 'POST'
    readonly path: '/api/inbound-webhooks'
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
    readonly answer: NewInboundWebhook
  }
  /** Delete an inbound webhook of the calling project. */
  readonly deleteOwnWebhook: {
    readonly method: 'DELETE'
    readonly path: '/api/inbound-webhooks/{id}'
    readonly params: {
      /** Id or slug of the webhook. */
      readonly id: string
    }
    readonly answer: undefined
  }
  /** One inbound webhook of the calling project. */
  readonly getOwnWebhook: {
    readonly method: 'GET'
    readonly path: '/api/inbound-webhooks/{id}'
    readonly params: {
      /** Id or slug of the webhook. */
      readonly id: string
    }
    readonly answer: InboundWebhook
  }
  /** Inbound webhooks of the calling project, newest first. */
  readonly listOwnWebhooks: {
    readonly method: 'GET'
    readonly path: '/api/inbound-webhooks'
    readonly answer: {
      readonly data: readonly InboundWebhook[]
      readonly total: number
    }
  }
  /** Read submissions as a member. */
  readonly readSubmissions: {
    readonly method: 'GET'
    readonly path: '/api/inbound-webhooks/{id}/submissions'
    readonly params: {
      /** Id or slug of the webhook. */
      readonly id: string
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
  /** Replace the signing secret of an inbound webhook of the calling project. */
  readonly rotateOwnSecret: {
    readonly method: 'POST'
    readonly path: '/api/inbound-webhooks/{id}/rotate-secret'
    readonly params: {
      /** Id or slug of the webhook. */
      readonly id: string
    }
    readonly answer: {
      /** Signs submissions; the HMAC key is this whole text. Shown this once. */
      readonly secret: string
    }
  }
  /** Submit a payload. */
  readonly submit: {
    readonly method: 'POST'
    readonly path: '/api/inbound-webhooks/{id}/submit'
    readonly params: {
      /** Id or slug of the webhook. */
      readonly id: string
    }
    readonly body: unknown
    readonly answer: {
      readonly id: string
      readonly receivedAt: string
    }
  }
  /** Change an inbound webhook of the calling project. */
  readonly updateOwnWebhook: {
    readonly method: 'PATCH'
    readonly path: '/api/inbound-webhooks/{id}'
    readonly params: {
      /** Id or slug of the webhook. */
      readonly id: string
    }
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
    readonly answer: InboundWebhook
  }
  /** What happens to your sessions and members, as it happens. */
  readonly streamEvents: {
    readonly method: 'GET'
    readonly path: '/api/events'
    readonly query: {
      /** Seconds between heartbeats. */
      readonly heartbeat?: number
    }
    readonly answer: EventData
  }
}
