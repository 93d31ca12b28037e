/** One row of the error table: the HTTP status of a refusal, and its texts. */
export interface ErrorDefinition {
  readonly status: number
  /** The problem. */
  readonly title: string
  /** The fix, which ends every `detail`. It is the same for all callers, so that it reveals no more than the code. */
  readonly mend: string
  /** The code on the wire if it differs from the row's name: the same refusal with another status or fix. */
  readonly code?: string
}

const define = <const Table extends Record<string, ErrorDefinition>>(table: Table) => table

/**
 * All refusals of the service. The status is in the row, so nothing else maps codes to statuses. Codes are stable:
 * clients may switch on them.
 */
export const errors = define({
  VALIDATION_FAILED: {
    status: 400,
    title: 'A field, a parameter, or a header of the request is invalid.',
    mend:
      'Correct each field that `errors` lists by its `path`, and send the request again. Unknown fields and ' +
      'parameters are invalid, too.',
  },
  MALFORMED_JSON: {
    status: 400,
    title: 'The request body is not valid JSON.',
    mend:
      'Send exactly one JSON value, in UTF-8. An empty body, a comma after the last item, and a repeated key ' +
      'in an object are not valid.',
  },
  BAD_REQUEST: {
    status: 400,
    title: 'The request is malformed.',
    mend:
      'Send one Host header, a valid path, and, only with a body, one of the headers Content-Length and ' +
      'Transfer-Encoding.',
  },
  IMAGE_INVALID: {
    status: 400,
    title: 'The image cannot be used.',
    mend: 'Use a complete PNG or WebP image of at most 512 × 512 pixels, without animation.',
  },
  UNKNOWN_PROJECT: {
    status: 400,
    title: 'No project has this client_id.',
    mend:
      'Use the ID of a project of this installation as client_id, not its name or its API key. The project may ' +
      'also have been deleted: System Admins list all projects with GET /api/admin/projects.',
  },
  LOGIN_REQUEST_INVALID: {
    status: 400,
    title: 'This sign-in started in another browser, has expired, or was already used.',
    mend:
      'Start a new sign-in. Complete it within ten minutes in the same browser, and allow cookies. Do not open ' +
      'an old address of the sign-in again, for example from a bookmark or with the Back button. If every sign-in ' +
      'fails, set ROLECALL_URL of the app to the exact PUBLIC_URL of the service. Cookies of localhost are not sent ' +
      'to 127.0.0.1.',
  },
  CHALLENGE_WITHOUT_VERIFIER: {
    status: 400,
    title: 'This code was requested with PKCE, but codeVerifier is missing.',
    mend:
      'Send codeVerifier, the random value from which your app computed code_challenge for this sign-in. You ' +
      'can still use the code, within 60 seconds of the sign-in.',
  },

  LOGIN_REQUIRED: {
    status: 401,
    title: 'You are not signed in.',
    mend:
      'Send the browser to the address in the Location header to sign in. If the code comes from requireMember ' +
      'or a guard in your own app, send the browser to /auth/login there.',
  },
  PROXY_NOT_TRUSTED: {
    status: 403,
    title: 'Only a trusted reverse proxy can send this request.',
    mend:
      'Ask the operator to add the address from which the proxy connects to TRUST_PROXY, and to restart the ' +
      'service. A browser cannot open this address directly.',
  },
  FORWARDED_REQUEST_INVALID: {
    status: 403,
    title: 'The headers of the reverse proxy do not describe a valid request.',
    mend:
      'Configure the proxy to set X-Forwarded-Proto, X-Forwarded-Host, and X-Forwarded-Uri, each once, and to ' +
      'remove X-Original-URL and all Remote-… headers that the client sent.',
  },
  LOGIN_LOOP: {
    status: 400,
    title: 'The reverse proxy changed the redirect to the sign-in, so that it leads back to this site.',
    mend:
      'Configure the proxy to leave the Location header of redirects unchanged. In nginx, set `proxy_redirect ' +
      'off;`.',
  },
  HOST_UNKNOWN: {
    status: 403,
    title: 'No project protects this host, or there is no server to sign in to.',
    mend:
      'Ask a System Admin to add the host to a project: PATCH /api/admin/projects/{id} with ' +
      '{"forwardAuth":{"hosts":[…]}}. The list replaces the former list, and a host with its own port contains ' +
      'the port. If a project already has the host, set forwardAuth.serverId there, or choose a main server.',
  },
  ROLE_LACKING: {
    status: 403,
    title: 'Your account has none of the roles that this site requires.',
    mend:
      'Ask an admin of the community for one of the roles. A new role usually works within a second, without ' +
      'another sign-in. A System Admin can change the required roles in forwardAuth.anyOf: PATCH ' +
      '/api/admin/projects/{id}.',
  },
  LOGIN_REFUSED: {
    status: 403,
    title: 'The sign-in was refused.',
    mend:
      'Start a new sign-in with an account that is a member of the server, and choose Authorize on ' +
      'Discord’s screen. If this does not help, ask an admin of the community: you may be blocked, or the site ' +
      'may have no access to the server.',
  },
  INVALID_API_KEY: {
    status: 401,
    title: 'The API key is missing, malformed, unknown, expired, or revoked.',
    mend:
      'Send the complete API key of the project in the header X-API-Key. A key begins with `rck_`. If the key ' +
      'is lost, expired, or revoked, a System Admin or an owner of the project can add one: POST ' +
      '/api/admin/projects/{id}/keys. Existing keys stay valid.',
  },
  PROJECT_INACTIVE: {
    status: 401,
    title: 'The project of this API key is inactive.',
    mend: 'Ask a System Admin to activate the project: PATCH /api/admin/projects/{id} with {"isActive":true}.',
  },
  INVALID_TOKEN: {
    status: 401,
    title: 'The session token is missing, malformed, unknown, expired, or revoked.',
    mend:
      'Check that you send the newest token of the session, because each refresh replaces it. A project can ' +
      'check only its own sessions. If the session has ended, the member or the administrator has to sign in ' +
      'again.',
  },
  INVALID_CODE: {
    status: 401,
    title: 'The code is invalid, expired, or already used.',
    mend:
      'Start a new sign-in, and exchange its code within 60 seconds. Send each code only once: a second use ' +
      'also ends the session that the first use created. Send the API key and the clientId of the project, the ' +
      'redirectUri of the sign-in, and, if the sign-in had a code_challenge, its codeVerifier. If the error ' +
      'persists, check that the member is still in the server, and that the project still has READ there.',
  },
  INVALID_REFRESH_TOKEN: {
    status: 401,
    title: 'The refresh token is missing, or does not belong to this session token.',
    mend:
      'Send the refresh token that you received together with this session token. If you no longer have it, ' +
      'the member has to sign in again.',
  },
  REFRESH_TOKEN_SUPERSEDED: {
    status: 401,
    title: 'Another request refreshed this token pair less than 30 seconds ago.',
    mend:
      'Use the pair that the other request received. If that response was lost, the member has to sign in ' +
      'again. To avoid this error, let only one process refresh a session at a time.',
  },
  REFRESH_TOKEN_REUSED: {
    status: 401,
    title: 'The session was revoked, because an old token pair was used again and may be stolen.',
    mend:
      'Send the member to sign in again. In your app, store each new pair immediately, and let only one ' +
      'process refresh a session at a time. If your app does both, another program has used a copy of the ' +
      'pair.',
  },

  INVALID_METRICS_TOKEN: {
    status: 401,
    title: 'The metrics token is missing or wrong.',
    mend: 'Send the header Authorization: Bearer <METRICS_TOKEN>, with the value that is set on the service.',
  },
  SIGNATURE_INVALID: {
    status: 401,
    title: 'The signature is missing, malformed, or wrong, or its time is more than 300 seconds off.',
    mend:
      'Sign `<time>.<raw body>` with HMAC-SHA-256 and the secret of the webhook, where the time is the current ' +
      'Unix time in seconds. Send the result in the header X-SVC-Signature: t=<time>,v1=<hex>. If the time is ' +
      'off, correct the clock of the sender.',
  },

  PROJECT_INACTIVE_AT_LOGIN: {
    status: 403,
    title: 'The sign-in was refused, because the project is inactive.',
    mend: 'Ask a System Admin to activate the project: PATCH /api/admin/projects/{id} with {"isActive":true}.',
    code: 'PROJECT_INACTIVE',
  },
  REDIRECT_URI_NOT_ALLOWED: {
    status: 403,
    title: 'The redirect URI is not registered for the project.',
    mend:
      'Use a redirect URI that matches a registered one exactly: http is not https, and localhost is not ' +
      '127.0.0.1. A System Admin or an owner of the project can add it: in the console under Redirects, or ' +
      'with POST /api/admin/projects/{id}/redirect-uris.',
  },
  SERVER_NOT_ACCESSIBLE: {
    status: 403,
    title: 'The project has no READ access to this server, or the server is not registered.',
    mend:
      'Check server_id, which is ROLECALL_SERVER_ID in the client libraries. If it is correct, ask a System ' +
      'Admin to grant READ: PUT /api/admin/projects/{projectId}/servers/{serverId}. If there is no main ' +
      'server, ask the operator to check CHAT_GUILD_ID.',
  },
  MAIN_SERVER_MISSING: {
    status: 403,
    title: 'There is no main server to sign in to.',
    mend:
      'Ask the operator to set CHAT_GUILD_ID to the ID of the Discord server of the community, and to restart ' +
      'the service. The command `rolecall doctor` checks the value.',
    code: 'SERVER_NOT_ACCESSIBLE',
  },
  SCOPE_REQUIRED: {
    status: 403,
    title: 'The project lacks the required scope in this server.',
    mend:
      'Check the server ID, because an unknown server returns this error, too. If it is correct, ask a System ' +
      'Admin to grant READ and the missing scope, `read_members` or `check_permissions`, in `operations` and ' +
      '`scopes` of PUT /api/admin/projects/{projectId}/servers/{serverId}.',
  },
  OPERATION_REQUIRED: {
    status: 403,
    title: 'The project lacks the required operation.',
    mend:
      'Ask a System Admin to grant it in `operations` of PUT ' +
      '/api/admin/projects/{projectId}/servers/{serverId}.',
  },
  ROLE_REQUIRED: {
    status: 403,
    title: 'You do not have a role that can read these submissions.',
    mend:
      'Ask for one of the roles in `allowedRoleIds` of the webhook, or ask a System Admin to add your role ' +
      'there. If the code comes from requireMember or a guard in your own app, the member needs one of the ' +
      'roles that your app requires.',
  },
  ORIGIN_NOT_ALLOWED: {
    status: 403,
    title: 'The webhook does not accept the origin of this request, or the request has none.',
    mend:
      'Submit from a page of a listed origin, or add the origin to `acceptedOrigins` of the webhook. A program ' +
      'has to send an accepted origin in the header `Origin`. An empty list accepts every request.',
  },
  NOT_SYSTEM_ADMIN: {
    status: 403,
    title: 'System Admin access is required.',
    mend:
      'Sign in to the console, or with `rolecall login`, as a System Admin. System Admins have the role in the ' +
      'main server whose ID is set in CHAT_ADMIN_ROLE_ID. Others receive this error where their ' +
      'rights end: auditors can only read, and owners can read and change only parts of their own projects. ' +
      'The session token of a project is never accepted.',
  },
  MEMBER_BLOCKED: {
    status: 403,
    title: 'This member is blocked.',
    mend:
      'Ask a System Admin to remove the block: DELETE /api/admin/members/{id}/block. Until the block ends, ' +
      'signing in again does not help.',
  },
  METRICS_LOCAL_ONLY: {
    status: 403,
    title: 'Metrics are available only on the host of the service, because METRICS_TOKEN is not set.',
    mend:
      'Set METRICS_TOKEN, restart the service, and send the header Authorization: Bearer <METRICS_TOKEN>. ' +
      'Without a token, send the request on the host of the service to 127.0.0.1, and not through a proxy.',
  },
  CROSS_SITE_REQUEST: {
    status: 403,
    title: 'This request is accepted only from a page of the same origin.',
    mend:
      'Open the page again in a tab of its own, not embedded in another site, and repeat the action there. In a ' +
      'program, send the session token in the header Authorization: Bearer.',
  },
  NAVIGATION_REQUIRED: {
    status: 403,
    title: 'Pages cannot fetch or embed this address.',
    mend:
      'Open this address in the browser window, with a link or a redirect. Do not request it from a script or ' +
      'show it in a frame.',
  },

  NOT_FOUND: {
    status: 404,
    title: 'There is nothing at this address.',
    mend: 'Check the path. /api/docs lists every endpoint.',
  },
  PROJECT_NOT_FOUND: {
    status: 404,
    title: 'Project not found.',
    mend: 'Check the project ID. GET /api/admin/projects lists all projects that are not deleted.',
  },
  SERVER_NOT_FOUND: {
    status: 404,
    title: 'Server not found.',
    mend:
      'Check the server ID. GET /api/admin/servers lists all registered servers, and POST /api/admin/servers ' +
      'registers one.',
  },
  SESSION_NOT_FOUND: {
    status: 404,
    title: 'Session not found.',
    mend:
      'Check the ID, and whether the session has already ended. GET /api/auth/sessions lists your own ' +
      'sessions, and GET /api/admin/members/{id}/sessions lists the sessions of a member.',
  },
  API_KEY_NOT_FOUND: {
    status: 404,
    title: 'The project does not have this key.',
    mend: 'Use the `id` of a key from GET /api/admin/projects/{id}/keys, not the key or its prefix.',
  },
  MEMBER_NOT_FOUND: {
    status: 404,
    title: 'Member not found.',
    mend:
      'Check the member ID. If the path contains a server, check the server ID, too: a project can read only ' +
      'current members of that server. Without a server in the path, a member is found after their first ' +
      'sign-in, or after a sync of one of their servers.',
  },
  REDIRECT_URI_NOT_FOUND: {
    status: 404,
    title: 'The project does not have this redirect URI.',
    mend:
      'Send `uri` exactly as it is in `redirectUris` of GET /api/admin/projects/{id}, and percent-encode it in ' +
      'the query.',
  },
  ACCESS_NOT_FOUND: {
    status: 404,
    title: 'The project has no access to this server.',
    mend:
      'Check the project ID and the server ID. GET /api/admin/projects/{projectId}/servers lists the servers to ' +
      'which the project has access.',
  },
  IMAGE_NOT_FOUND: {
    status: 404,
    title: 'There is no current image with this ID and hash.',
    mend:
      'Use the ID and the hash from the current `avatar` of the member or `icon` of the server. They may have a ' +
      'new image, or none.',
  },
  LOGO_NOT_FOUND: {
    status: 404,
    title: 'Logo not found.',
    mend:
      'Check the project ID. If the project has no logo, a System Admin or an owner of the project can set it: ' +
      'PUT /api/admin/projects/{id}/logo.',
  },
  WEBHOOK_NOT_FOUND: {
    status: 404,
    title: 'Inbound webhook not found.',
    mend:
      'Check the ID or slug. The webhook must belong to the project of the API key, of the session, or in the ' +
      'path. GET /api/inbound-webhooks lists the webhooks of the project of an API key, and GET ' +
      '/api/admin/projects/{projectId}/inbound-webhooks lists those of any project.',
  },
  DELIVERY_NOT_FOUND: {
    status: 404,
    title: 'Delivery not found.',
    mend: 'Use an ID from the list of deliveries of the project. Old deliveries are deleted.',
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
    title: 'This address does not support the method.',
    mend: 'Use a method from the Allow header of the response.',
  },
  REQUEST_TIMEOUT: {
    status: 408,
    title: 'The request did not arrive in time.',
    mend: 'Send the headers within five seconds, and the whole request within ten seconds.',
  },

  OWN_ACCOUNT: {
    status: 409,
    title: 'Administrators cannot block or erase their own account.',
    mend: 'Ask another System Admin to do it.',
  },
  HOST_TAKEN: {
    status: 409,
    title: 'Another project already protects one of these hosts.',
    mend:
      'Choose another host. To move a host, find the project that has it in GET /api/admin/projects. Send PATCH ' +
      '/api/admin/projects/{id} for that project, with only its remaining hosts in forwardAuth.hosts. Then ' +
      'repeat this request.',
  },
  RESOURCE_TAKEN: {
    status: 409,
    title: 'Another project already has one of these resources.',
    mend:
      'Choose another URI. To move a resource, find the project that has it in GET /api/admin/projects. Send ' +
      'PATCH /api/admin/projects/{id} for that project, with only its remaining resources in oidc.resources. ' +
      'Then repeat this request.',
  },
  PROJECT_NAME_TAKEN: {
    status: 409,
    title: 'Another project already has this name.',
    mend: 'Choose another name. Upper and lower case make no difference.',
  },
  API_KEY_NOT_NEWEST: {
    status: 409,
    title: 'The key in the request is not the newest key of the project.',
    mend:
      'List the keys again: GET /api/admin/projects/{id}/keys. To replace or restore the newest key, send its ' +
      '`id` as `keyId`.',
  },
  NO_REVOKED_KEY: {
    status: 409,
    title: 'There is no key to restore: the newest key of the project is not revoked, or has expired.',
    mend: 'Use the current key, or add one: POST /api/admin/projects/{id}/keys. Existing keys stay valid.',
  },
  API_KEY_LIMIT_REACHED: {
    status: 409,
    title: 'The project already has five valid keys.',
    mend:
      'Revoke a key that you no longer need: DELETE /api/admin/projects/{id}/keys/{keyId}. GET ' +
      '/api/admin/projects/{id}/keys shows when each key was last used.',
  },
  MAIN_SERVER_EXISTS: {
    status: 409,
    title: 'Another server is already the main server.',
    mend:
      'Omit isMain to register an additional server. To choose another main server, first send PATCH ' +
      '/api/admin/servers/{serverId} for the current one with {"isMain":false}.',
  },
  MAIN_SERVER_REQUIRED: {
    status: 409,
    title: 'This server cannot be removed, because its roles decide who is a System Admin.',
    mend:
      'Choose another main server first. 1. Send PATCH /api/admin/servers/{serverId} for this server with ' +
      '{"isMain":false}. 2. Send it for the other server with {"isMain":true}. From then on, no System Admin ' +
      'has access until step 3 is done. 3. Set CHAT_GUILD_ID, CHAT_ADMIN_ROLE_ID, and, if you use it, ' +
      'CHAT_AUDITOR_ROLE_ID to IDs of the new main server, and restart the service. 4. Sign in again, and ' +
      'remove this server.',
  },
  SERVER_EXISTS: {
    status: 409,
    title: 'This server is already registered.',
    mend:
      'Use the registered server. If there is no main server, PATCH /api/admin/servers/{serverId} with ' +
      '{"isMain":true} makes this one the main server. To replace a main server, follow steps 1 to 3 of the ' +
      'error MAIN_SERVER_REQUIRED.',
  },

  WEBHOOK_LIMIT_REACHED: {
    status: 409,
    title: 'The project has reached its limit of inbound webhooks.',
    mend:
      'Delete a webhook that you no longer need, or ask a System Admin to increase maxWebhooksPerProject in ' +
      'the settings.',
  },
  WEBHOOK_SLUG_TAKEN: {
    status: 409,
    title: 'Another inbound webhook of the project already has this slug.',
    mend: 'Choose another slug. When you create a webhook, you can also omit the slug to generate one.',
  },
  WEBHOOK_URL_MISSING: {
    status: 409,
    title: 'The project has no address for notices.',
    mend: 'Set webhookUrl of the project: PATCH /api/admin/projects/{id}.',
  },
  EVENTS_URL_MISSING: {
    status: 409,
    title: 'The project has no address for events, or delivery to it is disabled.',
    mend:
      'Set eventsUrl of the project: PATCH /api/admin/projects/{id}. If delivery is disabled, set the same ' +
      'address again to enable it.',
  },
  LOGOUT_URI_MISSING: {
    status: 409,
    title: 'The project has no address for logouts, or is not an OpenID Connect client.',
    mend: 'Set oidc.backchannelLogoutUri, and oidc.enabled to true: PATCH /api/admin/projects/{id}.',
  },
  SIGNATURE_REPLAYED: {
    status: 409,
    title: 'This signature was already used.',
    mend:
      'Sign each submission again with the current time. Two equal bodies in the same second have the same ' +
      'signature. To retry a submission safely, send the same Idempotency-Key with it.',
  },
  CURSOR_UNKNOWN: {
    status: 410,
    title: 'This cursor is unknown or no longer valid.',
    mend:
      'List all members of the server again, and keep the changeCursor of the first page. Replace your copy ' +
      'with the list, and then continue with that changeCursor.',
  },
  WEBHOOK_INACTIVE: {
    status: 410,
    title: 'The inbound webhook is inactive.',
    mend:
      'Activate the webhook: PATCH /api/admin/projects/{projectId}/inbound-webhooks/{id} with ' +
      '{"isActive":true}. Until then, do not send the submission again.',
  },

  PAYLOAD_TOO_LARGE: {
    status: 413,
    title: 'The request body is too large.',
    mend: 'Send a smaller body. Each endpoint has its own limit.',
  },
  URI_TOO_LONG: {
    status: 414,
    title: 'A part of the path is too long.',
    mend: 'Shorten the path. An ID or a name in it can have at most 256 characters.',
  },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    title: 'The headers do not declare a JSON body.',
    mend: 'Send the body with Content-Type: application/json, in UTF-8 and uncompressed.',
  },
  UPLOAD_TYPE_UNSUPPORTED: {
    status: 415,
    title: 'This endpoint does not accept the media type of the file.',
    mend:
      'Send the file uncompressed, with its media type as Content-Type. The API reference lists the accepted ' +
      'types.',
  },
  EXPECTATION_FAILED: {
    status: 417,
    title: 'The only supported value of Expect is 100-continue.',
    mend: 'Omit the Expect header, or send 100-continue.',
  },
  PAYLOAD_INVALID: {
    status: 422,
    title: 'The payload does not match the schema of the webhook.',
    mend: 'Correct the fields that `errors` lists by their `path` in the payload, and submit the payload again.',
  },
  IDEMPOTENCY_KEY_REUSED: {
    status: 422,
    title: 'This Idempotency-Key was already used with another payload.',
    mend: 'Use a new Idempotency-Key for each new payload. Within 24 hours, reuse a key only for the same bytes.',
  },
  BOT_NOT_IN_SERVER: {
    status: 422,
    title: 'The bot has no access to this server on Discord.',
    mend:
      'Check the server ID. If it is correct, invite the bot to the server with the link on the page Servers ' +
      'of the console.',
  },
  RATE_LIMITED: {
    status: 429,
    title: 'Too many requests.',
    mend:
      'Wait for the number of seconds in Retry-After, then try again. Requests are counted per API key, per ' +
      'session, or, without either, per IP address. If all visitors share the address of your reverse proxy, ' +
      'ask the operator to add it to TRUST_PROXY.',
  },
  HEADERS_TOO_LARGE: {
    status: 431,
    title: 'The request headers are too large.',
    mend: 'Send fewer or shorter headers, or a shorter query. Cookies are often the longest.',
  },

  INTERNAL_ERROR: {
    status: 500,
    title: 'An internal error occurred.',
    mend:
      'Try again later. If the error persists, send the requestId to the operator, who can find the cause in ' +
      'the log.',
  },
  ENCRYPTION_KEY_MISSING: {
    status: 500,
    title: 'An encryption key is not configured.',
    mend:
      'Ask the operator to set INBOUND_WEBHOOK_ENCRYPTION_KEY and OUTBOUND_WEBHOOK_ENCRYPTION_KEY to 64 ' +
      'hexadecimal characters each (`openssl rand -hex 32`), and to restart the service. If there was a key ' +
      'before, set the same key again: a new key cannot read the stored secrets.',
  },
  SECRET_UNREADABLE: {
    status: 500,
    title: 'This secret was encrypted with another key and cannot be read.',
    mend:
      'Ask the operator to restore the former encryption key. If it is lost, replace the secret of the ' +
      'webhook, or set webhookUrl of the project again.',
  },
  CHAT_PLATFORM_UNAVAILABLE: {
    status: 503,
    title: 'Discord does not respond, or rejects the requests of this service.',
    mend:
      'Try again after the number of seconds in Retry-After. Sessions stay valid. A session check returns this ' +
      'error only if the stored roles are older than 24 hours. The console and the admin API return it if the ' +
      'service could not confirm the roles of the administrator with Discord for five minutes. If the error ' +
      'persists, ask the operator to run `rolecall doctor`, which checks the bot token and the connection to ' +
      'Discord.',
  },
  LOGIN_NOT_CONFIGURED: {
    status: 503,
    title: 'Sign-in is not configured.',
    mend:
      'Ask the operator to set CHAT_CLIENT_ID and CHAT_CLIENT_SECRET, and to restart the service. The command ' +
      '`rolecall doctor` lists missing values.',
  },
  DATABASE_UNAVAILABLE: {
    status: 503,
    title: 'The database cannot serve this request right now.',
    mend:
      'Try again after the number of seconds in Retry-After. Sessions stay valid. If the error persists, ask ' +
      'the operator to run `rolecall doctor`.',
  },
  SERVICE_OVERLOADED: {
    status: 503,
    title: 'The service is overloaded.',
    mend:
      'Wait for the number of seconds in Retry-After, then try again. If the error persists, tell the ' +
      'operator.',
  },
})

/** The stable name of a refusal. */
export type ErrorCode = keyof typeof errors
