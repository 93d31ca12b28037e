import { type Static, Type } from 'typebox'
import { ChangeQuery, DryRun } from './dry-run.ts'
import { endpoint } from './endpoint.ts'
import { Closed, DateTime, Nullable, OneOf, Uuid } from './formats.ts'
import { Name } from './names.ts'

const tag = 'Projects'

const ProjectId = Closed({ id: Uuid })

/** The public details of a key: never the key itself. */
export const ApiKeyInfo = Type.Object({
  prefix: Type.String(),
  status: OneOf('active', 'revoked', 'expired'),
  createdAt: DateTime,
  lastUsedAt: Nullable(DateTime),
  revokedAt: Nullable(DateTime),
})

const Note = { ...Name, description: 'The purpose of the key, in your own words.' }

/** A key to create. */
export const NewKey = Closed({
  note: Type.Optional(Note),
  expiresAt: Type.Optional({ ...DateTime, description: 'The time at which the key expires.' }),
})

const KeyId = {
  ...Uuid,
  description:
    'The ID of the key that you expect to be the newest. If another key is the newest, the request fails with ' +
    'API_KEY_NOT_NEWEST.',
}

/** The options for restoring a key. */
export const RestoreApiKey = Closed({ keyId: Type.Optional(KeyId) })

/** The options for replacing a key. */
export const RegenerateApiKey = Closed({
  graceSec: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 86_400,
      default: 0,
      description: 'The number of seconds for which the old key stays valid.',
    }),
  ),
  graceUntil: Type.Optional({
    ...DateTime,
    description:
      'The time at which the old key expires, at most 30 days from now. Send either this or `graceSec`.',
  }),
  note: Type.Optional(Note),
  expiresAt: Type.Optional({ ...DateTime, description: 'The time at which the new key expires.' }),
  keyId: Type.Optional(KeyId),
})

/** One of the keys of a project: never the key itself. */
export const ProjectKey = Type.Object({
  id: Uuid,
  prefix: Type.String(),
  note: Nullable(Type.String()),
  status: {
    ...OneOf('active', 'replaced', 'revoked', 'expired'),
    description: '`replaced`: a newer key replaced this one, which stays valid until `expiresAt`.',
  },
  isNewest: Type.Boolean({
    description: 'The newest key. Endpoints that name a project but no key use this one.',
  }),
  createdAt: DateTime,
  replacedAt: Nullable(DateTime),
  expiresAt: Nullable(DateTime),
  revokedAt: Nullable(DateTime),
  lastUsedAt: Nullable(DateTime),
  uses: Type.Integer(),
  usesSinceReplaced: Type.Integer(),
})

/** Returns prefix and state of the newest key, never the key. Refuses with PROJECT_NOT_FOUND. */
export const getApiKey = endpoint({
  method: 'GET',
  path: '/api/admin/projects/{id}/api-key',
  tag,
  summary: 'Read the prefix and the state of the newest key',
  auth: 'admin',
  owners: 'id',
  params: ProjectId,
  answers: { 200: ApiKeyInfo },
  refuses: ['PROJECT_NOT_FOUND'],
})

/** Revokes the newest key from the next request on. Refuses with PROJECT_NOT_FOUND. */
export const revokeApiKey = endpoint({
  method: 'DELETE',
  path: '/api/admin/projects/{id}/key',
  tag,
  summary: 'Revoke the newest key',
  description: 'The next request with this key is rejected. If the key is revoked already, nothing changes.',
  auth: 'admin',
  owners: 'id',
  params: ProjectId,
  query: ChangeQuery,
  answers: { 200: DryRun, 204: null },
  refuses: ['PROJECT_NOT_FOUND'],
})

/** Restores a revoked key. Refuses with PROJECT_NOT_FOUND, API_KEY_NOT_NEWEST, NO_REVOKED_KEY. */
export const restoreApiKey = endpoint({
  method: 'POST',
  path: '/api/admin/projects/{id}/restore-key',
  tag,
  summary: 'Restore the newest key after it was revoked',
  description: 'Only the newest key can be restored, and only before it expires.',
  auth: 'admin',
  owners: 'id',
  params: ProjectId,
  body: RestoreApiKey,
  bodyOptional: true,
  answers: { 204: null },
  refuses: ['PROJECT_NOT_FOUND', 'API_KEY_NOT_NEWEST', 'NO_REVOKED_KEY'],
})

/**
 * Replaces the newest key and returns the new one, once. Refuses with PROJECT_NOT_FOUND, API_KEY_NOT_NEWEST,
 * API_KEY_LIMIT_REACHED.
 */
export const regenerateApiKey = endpoint({
  method: 'POST',
  path: '/api/admin/projects/{id}/regenerate-api-key',
  tag,
  summary: 'Replace the newest key',
  description:
    'Only this response contains the new key. The old key stops working immediately, after `graceSec`, or at ' +
    '`graceUntil`, and cannot be restored. If you revoke the new key before then, the old key ends, too. It ' +
    'also ends if you replace the new key without a grace period.',
  auth: 'admin',
  owners: 'id',
  params: ProjectId,
  body: RegenerateApiKey,
  bodyOptional: true,
  answers: {
    200: Type.Object({
      apiKey: Type.String(),
      prefix: Type.String(),
      createdAt: DateTime,
      replaced: Type.Optional(
        Type.Object(
          { prefix: Type.String(), endsAt: DateTime },
          { description: 'The old key, if it stays valid for a while.' },
        ),
      ),
    }),
  },
  refuses: ['PROJECT_NOT_FOUND', 'API_KEY_NOT_NEWEST', 'API_KEY_LIMIT_REACHED'],
})

/** Lists the keys of a project: all valid ones, and the latest invalid ones. Refuses with PROJECT_NOT_FOUND. */
export const listApiKeys = endpoint({
  method: 'GET',
  path: '/api/admin/projects/{id}/keys',
  tag,
  summary: 'List the keys of a project',
  description:
    'Returns at most 50 keys: first the valid ones, then the others, each newest first. A use of a key ' +
    'appears in the list within a second.',
  auth: 'admin',
  owners: 'id',
  params: ProjectId,
  answers: { 200: Type.Object({ data: Type.Array(ProjectKey), total: Type.Integer() }) },
  refuses: ['PROJECT_NOT_FOUND'],
})

/** Adds a key and returns it, once. Refuses with PROJECT_NOT_FOUND, API_KEY_LIMIT_REACHED. */
export const addApiKey = endpoint({
  method: 'POST',
  path: '/api/admin/projects/{id}/keys',
  tag,
  summary: 'Add a key',
  description:
    'Only this response contains the key. The other keys stay valid, and a project can have five valid keys. ' +
    'The added key becomes the newest, which other endpoints use if they name no key.',
  auth: 'admin',
  owners: 'id',
  params: ProjectId,
  body: NewKey,
  bodyOptional: true,
  answers: {
    201: Type.Object({ id: Uuid, apiKey: Type.String(), prefix: Type.String(), createdAt: DateTime }),
  },
  refuses: ['PROJECT_NOT_FOUND', 'API_KEY_LIMIT_REACHED'],
})

/** Revokes one key from the next request on. Refuses with PROJECT_NOT_FOUND, API_KEY_NOT_FOUND. */
export const revokeOneApiKey = endpoint({
  method: 'DELETE',
  path: '/api/admin/projects/{id}/keys/{keyId}',
  tag,
  summary: 'Revoke one key',
  description:
    'The next request with this key is rejected. Keys that it replaced, and that are still valid, are ' +
    'revoked, too.',
  auth: 'admin',
  owners: 'id',
  params: Closed({ id: Uuid, keyId: Uuid }),
  query: ChangeQuery,
  answers: { 200: DryRun, 204: null },
  refuses: ['PROJECT_NOT_FOUND', 'API_KEY_NOT_FOUND'],
})

export type ApiKeyInfo = Static<typeof ApiKeyInfo>
export type NewKey = Static<typeof NewKey>
export type RestoreApiKey = Static<typeof RestoreApiKey>
export type RegenerateApiKey = Static<typeof RegenerateApiKey>
export type ProjectKey = Static<typeof ProjectKey>
