import { type Static, Type } from 'typebox'
import { ChangeQuery, DryRun } from './dry-run.ts'
import { endpoint, maxBodyLimit } from './endpoint.ts'
import { Closed, DateTime, IdOrName, Nullable, Snowflake, Uuid } from './formats.ts'
import { Name } from './names.ts'
import { patterns } from './patterns.ts'
import { MoreProblems, ProblemDetail } from './problem.ts'

const tag = 'Inbound webhooks'

const Slug = Type.String({
  minLength: 1,
  maxLength: 64,
  pattern: patterns.slug.pattern,
  description: 'Unique within the project.',
})

const JsonSchema = Type.Record(Type.String(), Type.Unknown(), {
  description:
    'A schema in JSON Schema 2020-12, at most 64 KiB. `$ref` must point into the schema itself, and `format` ' +
    'is checked. A `pattern` uses RE2 syntax, without look-around and back-references. It can have 2,000 ' +
    'instructions, and all patterns of a schema together 12,000. Numbers must fit into a double without a ' +
    'loss. `$id`, `$dynamicRef`, and unknown keywords are rejected. Keywords that begin with `x-` are ' +
    'ignored.',
})

const Origins = Type.Array(Type.String({ minLength: 1, maxLength: 255 }), {
  maxItems: 50,
  uniqueItems: true,
  description:
    'Origins that can submit, such as `https://site.example`. If the list is not empty, each submission must ' +
    'have one of them in its `Origin` header. An empty list accepts every submission.',
})

const RoleIds = Type.Array(Snowflake, {
  maxItems: 100,
  uniqueItems: true,
  description: 'Members with one of these roles can read the submissions. With an empty list, no member can.',
})

/** An endpoint of a project that accepts JSON of one schema. Its secret is shown only once. */
export const InboundWebhook = Type.Object({
  id: Uuid,
  projectId: Uuid,
  name: Type.String(),
  slug: Type.String(),
  schema: JsonSchema,
  acceptedOrigins: Type.Array(Type.String()),
  allowedRoleIds: Type.Array(Snowflake),
  isActive: Type.Boolean(),
  requireSignature: Type.Boolean(),
  secretSetAt: DateTime,
  createdAt: DateTime,
  updatedAt: DateTime,
  submissionCount: Type.Integer(),
  lastSubmissionAt: Nullable(DateTime),
})

const Secret = Type.String({
  description:
    'The secret that signs submissions. Use the whole text, with `whsec_`, as the HMAC key. It is shown only ' +
    'once.',
})

/** A new webhook, with its secret. */
export const CreatedInboundWebhook = Type.Object({ ...InboundWebhook.properties, secret: Secret })

/** The webhook that a new project may start with. */
export const ProjectInboundWebhook = Closed({
  name: Name,
  schema: JsonSchema,
  slug: Type.Optional(Slug),
  acceptedOrigins: Type.Optional(Origins),
  allowedRoleIds: Type.Optional(RoleIds),
})

const CreateWebhook = Closed({
  ...ProjectInboundWebhook.properties,
  isActive: Type.Optional(Type.Boolean()),
  requireSignature: Type.Optional(Type.Boolean()),
})

const UpdateWebhook = Closed({
  name: Type.Optional(Name),
  schema: Type.Optional(JsonSchema),
  slug: Type.Optional(Slug),
  acceptedOrigins: Type.Optional(Origins),
  allowedRoleIds: Type.Optional(RoleIds),
  isActive: Type.Optional(Type.Boolean()),
  requireSignature: Type.Optional(Type.Boolean()),
})

/** One accepted payload, as it was sent. */
export const Submission = Type.Object({
  id: Uuid,
  receivedAt: DateTime,
  isSigned: Type.Boolean({ description: 'The submission had a valid signature.' }),
  origin: Nullable(Type.String()),
  payload: Type.Unknown({
    description:
      'The payload as it was sent. If it can contain long numbers, use a JSON parser that preserves them.',
  }),
})

const Period = {
  dateFrom: Type.Optional({ ...DateTime, description: 'Start of the period, inclusive.' }),
  dateTo: Type.Optional({
    ...DateTime,
    description: 'End of the period, inclusive. A date without a time includes that whole day in UTC.',
  }),
}

const SubmissionQuery = Closed({
  ...Period,
  cursor: Type.Optional({ ...Uuid, description: '`nextCursor` of the previous page.' }),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500, default: 50 })),
})

const SubmissionPage = Type.Object({
  data: Type.Array(Submission, {
    description: 'Submissions, newest first. If they are large, a page has fewer than `limit`.',
  }),
  nextCursor: Nullable(Uuid),
})

const Webhooks = Type.Object({ data: Type.Array(InboundWebhook), total: Type.Integer() })
const NewSecret = Type.Object({ secret: Secret })

/** Fits a schema of 64 KiB, indented, and the lists beside it. */
export const webhookBodyLimit = 128 * 1024

const adminPath = '/api/admin/projects/{projectId}/inbound-webhooks'
const OfProject = Closed({ projectId: Uuid })
const OneOfProject = Closed({ projectId: Uuid, webhookId: Uuid })

/** Lists the inbound webhooks of a project. Refuses with PROJECT_NOT_FOUND. */
export const listWebhooks = endpoint({
  method: 'GET',
  path: adminPath,
  tag,
  summary: 'List inbound webhooks of a project, newest first',
  auth: 'admin',
  owners: 'projectId',
  params: OfProject,
  answers: { 200: Webhooks },
  refuses: ['PROJECT_NOT_FOUND'],
})

/**
 * Creates an inbound webhook and returns its secret, once. Refuses with PROJECT_NOT_FOUND, WEBHOOK_LIMIT_REACHED,
 * WEBHOOK_SLUG_TAKEN, ENCRYPTION_KEY_MISSING.
 */
export const createWebhook = endpoint({
  method: 'POST',
  path: adminPath,
  tag,
  summary: 'Create an inbound webhook',
  description: 'Only this response contains the secret. If you omit `slug`, it is derived from the name.',
  auth: 'admin',
  owners: 'projectId',
  params: OfProject,
  body: CreateWebhook,
  bodyLimit: webhookBodyLimit,
  answers: { 201: CreatedInboundWebhook },
  refuses: [
    'PROJECT_NOT_FOUND',
    'WEBHOOK_LIMIT_REACHED',
    'WEBHOOK_SLUG_TAKEN',
    'ENCRYPTION_KEY_MISSING',
    'RATE_LIMITED',
  ],
})

/** Returns one inbound webhook. Refuses with WEBHOOK_NOT_FOUND. */
export const getWebhook = endpoint({
  method: 'GET',
  path: `${adminPath}/{webhookId}`,
  tag,
  summary: 'Read an inbound webhook',
  auth: 'admin',
  owners: 'projectId',
  params: OneOfProject,
  answers: { 200: InboundWebhook },
  refuses: ['WEBHOOK_NOT_FOUND'],
})

/** Changes an inbound webhook. Refuses with WEBHOOK_NOT_FOUND, WEBHOOK_SLUG_TAKEN. */
export const updateWebhook = endpoint({
  method: 'PATCH',
  path: `${adminPath}/{webhookId}`,
  tag,
  summary: 'Change an inbound webhook',
  description: 'Omitted fields keep their values. The change applies to the next submission.',
  auth: 'admin',
  owners: 'projectId',
  params: OneOfProject,
  query: ChangeQuery,
  body: UpdateWebhook,
  bodyLimit: webhookBodyLimit,
  answers: { 200: Type.Union([InboundWebhook, DryRun]) },
  refuses: ['WEBHOOK_NOT_FOUND', 'WEBHOOK_SLUG_TAKEN', 'RATE_LIMITED'],
})

/** Deletes an inbound webhook with its submissions. Refuses with WEBHOOK_NOT_FOUND. */
export const deleteWebhook = endpoint({
  method: 'DELETE',
  path: `${adminPath}/{webhookId}`,
  tag,
  summary: 'Delete an inbound webhook and its submissions',
  auth: 'admin',
  owners: 'projectId',
  params: OneOfProject,
  query: ChangeQuery,
  answers: { 200: DryRun, 204: null },
  refuses: ['WEBHOOK_NOT_FOUND'],
})

/** Replaces the signing secret and returns it, once. Refuses with WEBHOOK_NOT_FOUND, ENCRYPTION_KEY_MISSING. */
export const rotateSecret = endpoint({
  method: 'POST',
  path: `${adminPath}/{webhookId}/rotate-secret`,
  tag,
  summary: 'Replace the signing secret',
  description: 'The old secret stops working immediately.',
  auth: 'admin',
  owners: 'projectId',
  params: OneOfProject,
  answers: { 200: NewSecret },
  refuses: ['WEBHOOK_NOT_FOUND', 'ENCRYPTION_KEY_MISSING'],
})

/** The result that a submission of a payload would have. */
const TriedPayload = Type.Object({
  valid: Type.Boolean(),
  errors: Type.Array(ProblemDetail, {
    description:
      'All problems, or the first ones that fit into 64 KiB. `path` points into the payload, or below ' +
      '`/schema` into the draft of the schema.',
  }),
  more: MoreProblems,
})

/** Validates a payload against the schema. Refuses with WEBHOOK_NOT_FOUND, RATE_LIMITED. */
export const tryPayload = endpoint({
  method: 'POST',
  path: `${adminPath}/{webhookId}/try`,
  tag,
  summary: 'Validate a payload against the schema without storing it',
  description:
    'Returns the result that `submit` would have, and stores nothing. To try a draft of the schema, send it ' +
    'in `schema`.',
  auth: 'admin',
  owners: 'projectId',
  isRead: true,
  params: OneOfProject,
  // Half of the maximum submission: in a JSON text every quote takes two characters, and a schema is sent with it.
  bodyLimit: 256 * 1024,
  body: Closed({
    payload: Type.String({
      maxLength: 131_072,
      description: 'The payload as JSON text, exactly as it would be sent.',
    }),
    schema: Type.Optional(JsonSchema),
  }),
  answers: { 200: TriedPayload },
  refuses: ['WEBHOOK_NOT_FOUND', 'RATE_LIMITED'],
})

/** Lists submissions, newest first, by cursor. Refuses with WEBHOOK_NOT_FOUND. */
export const listSubmissions = endpoint({
  method: 'GET',
  path: `${adminPath}/{webhookId}/submissions`,
  tag,
  summary: 'List submissions of an inbound webhook, newest first',
  auth: 'admin',
  owners: 'projectId',
  params: OneOfProject,
  query: SubmissionQuery,
  answers: { 200: SubmissionPage },
  refuses: ['WEBHOOK_NOT_FOUND'],
})

/** Exports submissions as CSV. Refuses with WEBHOOK_NOT_FOUND, and a third concurrent download with RATE_LIMITED. */
export const exportSubmissions = endpoint({
  method: 'GET',
  path: `${adminPath}/{webhookId}/submissions/export`,
  tag,
  summary: 'Download submissions as CSV',
  description:
    'Creates an audit entry. Each administrator can run two downloads at a time on each instance of the ' +
    'service. A third download is rejected with 429.',
  auth: 'admin',
  owners: 'projectId',
  params: OneOfProject,
  query: Closed(Period),
  answers: { 200: { download: ['text/csv'], row: Submission } },
  refuses: ['WEBHOOK_NOT_FOUND', 'RATE_LIMITED'],
})

const ownPath = '/api/inbound-webhooks'
const IdOrSlug = Closed({
  id: { ...IdOrName, description: 'ID or slug of the webhook.' },
})
const byKey = 'Requires `MANAGE_WEBHOOKS` in at least one server of the project.'

/** As `listWebhooks`, by key. Refuses with OPERATION_REQUIRED. */
export const listOwnWebhooks = endpoint({
  method: 'GET',
  path: ownPath,
  tag,
  summary: 'List inbound webhooks of the calling project, newest first',
  description: byKey,
  auth: 'projectKey',
  needs: 'MANAGE_WEBHOOKS',
  answers: { 200: Webhooks },
  refuses: ['OPERATION_REQUIRED'],
})

/** As `createWebhook`, by key. Refuses with OPERATION_REQUIRED and as that does. */
export const createOwnWebhook = endpoint({
  method: 'POST',
  path: ownPath,
  tag,
  summary: 'Create an inbound webhook of the calling project',
  description: byKey,
  auth: 'projectKey',
  needs: 'MANAGE_WEBHOOKS',
  body: CreateWebhook,
  bodyLimit: webhookBodyLimit,
  answers: { 201: CreatedInboundWebhook },
  refuses: [
    'OPERATION_REQUIRED',
    'WEBHOOK_LIMIT_REACHED',
    'WEBHOOK_SLUG_TAKEN',
    'ENCRYPTION_KEY_MISSING',
    'RATE_LIMITED',
  ],
})

/** As `getWebhook`, by key, by id or slug. Refuses with OPERATION_REQUIRED and as that does. */
export const getOwnWebhook = endpoint({
  method: 'GET',
  path: `${ownPath}/{id}`,
  tag,
  summary: 'Read an inbound webhook of the calling project',
  description: byKey,
  auth: 'projectKey',
  needs: 'MANAGE_WEBHOOKS',
  params: IdOrSlug,
  answers: { 200: InboundWebhook },
  refuses: ['OPERATION_REQUIRED', 'WEBHOOK_NOT_FOUND'],
})

/** As `updateWebhook`, by key, by id or slug. Refuses with OPERATION_REQUIRED and as that does. */
export const updateOwnWebhook = endpoint({
  method: 'PATCH',
  path: `${ownPath}/{id}`,
  tag,
  summary: 'Change an inbound webhook of the calling project',
  description: byKey,
  auth: 'projectKey',
  needs: 'MANAGE_WEBHOOKS',
  params: IdOrSlug,
  body: UpdateWebhook,
  bodyLimit: webhookBodyLimit,
  answers: { 200: InboundWebhook },
  refuses: ['OPERATION_REQUIRED', 'WEBHOOK_NOT_FOUND', 'WEBHOOK_SLUG_TAKEN', 'RATE_LIMITED'],
})

/** As `deleteWebhook`, by key, by id or slug. Refuses with OPERATION_REQUIRED and as that does. */
export const deleteOwnWebhook = endpoint({
  method: 'DELETE',
  path: `${ownPath}/{id}`,
  tag,
  summary: 'Delete an inbound webhook of the calling project',
  description: byKey,
  auth: 'projectKey',
  needs: 'MANAGE_WEBHOOKS',
  params: IdOrSlug,
  answers: { 204: null },
  refuses: ['OPERATION_REQUIRED', 'WEBHOOK_NOT_FOUND'],
})

/** As `rotateSecret`, by key, by id or slug. Refuses with OPERATION_REQUIRED and as that does. */
export const rotateOwnSecret = endpoint({
  method: 'POST',
  path: `${ownPath}/{id}/rotate-secret`,
  tag,
  summary: 'Replace the signing secret of an inbound webhook of the calling project',
  description: byKey,
  auth: 'projectKey',
  needs: 'MANAGE_WEBHOOKS',
  params: IdOrSlug,
  answers: { 200: NewSecret },
  refuses: ['OPERATION_REQUIRED', 'WEBHOOK_NOT_FOUND', 'ENCRYPTION_KEY_MISSING'],
})

/**
 * Accepts a payload. Refuses with WEBHOOK_NOT_FOUND, WEBHOOK_INACTIVE, ORIGIN_NOT_ALLOWED. Refuses an invalid signature
 * with SIGNATURE_INVALID, SIGNATURE_REPLAYED, SECRET_UNREADABLE, ENCRYPTION_KEY_MISSING; an invalid payload with
 * UNSUPPORTED_MEDIA_TYPE, MALFORMED_JSON, PAYLOAD_TOO_LARGE, PAYLOAD_INVALID; and a reused key with
 * IDEMPOTENCY_KEY_REUSED.
 */
export const submit = endpoint({
  method: 'POST',
  path: `${ownPath}/{id}/submit`,
  tag,
  summary: 'Submit a payload',
  description:
    'The body is JSON that matches the schema of the webhook, at most 256 KiB. If it does not match, the ' +
    'response lists all problems at once. The body is stored exactly as you sent it, before the response is ' +
    'sent. An object with duplicate keys is rejected. To sign a submission, send `X-SVC-Signature: t=<unix ' +
    'seconds>,v1=<hex>`, where `v1` is the HMAC-SHA-256 of `<unix seconds>.<raw body>`. The time can be up ' +
    'to 300 s off, and each signature is valid once. A header with several `v1` values is accepted if one of ' +
    'them matches. If you repeat a submission with the same `Idempotency-Key` within 24 hours, you receive ' +
    'the first response, and nothing is stored again.',
  auth: 'projectKey',
  bodyLimit: maxBodyLimit,
  params: IdOrSlug,
  headers: Type.Object({
    'X-SVC-Signature': Type.Optional(
      Type.String({
        description:
          'Required if the webhook has `requireSignature`. A signature that you send is always checked.',
      }),
    ),
    'Idempotency-Key': Type.Optional(Type.String({ description: '1 to 255 printable ASCII characters.' })),
    Origin: Type.Optional(Type.String({ description: 'Required if the webhook has `acceptedOrigins`.' })),
  }),
  payload: Type.Unknown({ description: 'JSON that matches the schema of the webhook, at most 256 KiB.' }),
  answers: { 201: Type.Object({ id: Uuid, receivedAt: DateTime }) },
  refuses: [
    'WEBHOOK_NOT_FOUND',
    'WEBHOOK_INACTIVE',
    'ORIGIN_NOT_ALLOWED',
    'SIGNATURE_INVALID',
    'UNSUPPORTED_MEDIA_TYPE',
    'MALFORMED_JSON',
    'PAYLOAD_TOO_LARGE',
    'PAYLOAD_INVALID',
    'IDEMPOTENCY_KEY_REUSED',
    'SIGNATURE_REPLAYED',
    'SECRET_UNREADABLE',
    'ENCRYPTION_KEY_MISSING',
  ],
})

/**
 * Returns submissions to a member with one of the allowed roles. Refuses with WEBHOOK_NOT_FOUND, ROLE_REQUIRED,
 * CHAT_PLATFORM_UNAVAILABLE.
 */
export const readSubmissions = endpoint({
  method: 'GET',
  path: `${ownPath}/{id}/submissions`,
  tag,
  summary: 'Read submissions as a member',
  description:
    'Returns the submissions to members who currently have one of `allowedRoleIds` in the server of their ' +
    'session. The session must belong to the project of the webhook.',
  auth: 'session',
  params: IdOrSlug,
  query: SubmissionQuery,
  answers: { 200: SubmissionPage },
  refuses: ['WEBHOOK_NOT_FOUND', 'ROLE_REQUIRED', 'CHAT_PLATFORM_UNAVAILABLE'],
})

export type InboundWebhook = Static<typeof InboundWebhook>
export type CreatedInboundWebhook = Static<typeof CreatedInboundWebhook>
export type CreateWebhook = Static<typeof CreateWebhook>
/** A payload to validate, and its schema if that is a draft. */
export type TryPayload = Static<(typeof tryPayload)['body']>
export type UpdateWebhook = Static<typeof UpdateWebhook>
export type SubmissionQuery = Static<typeof SubmissionQuery>
