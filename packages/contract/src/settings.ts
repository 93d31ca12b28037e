import { type Static, Type } from 'typebox'
import { endpoint } from './endpoint.ts'
import { Closed, DateTime, Nullable, OneOf } from './formats.ts'

const tag = 'Settings'

interface Described {
  /** The environment variables that provide the value. A secret counts as set if all of them are set. */
  readonly variables: readonly [string, ...string[]]
  readonly meaning: string
}
interface NumberRow extends Described {
  readonly kind: 'number'
  /** Read for compatibility, without any effect. */
  readonly isDeprecated?: true
}
/** A setting that an administrator changes while the service runs. */
export interface EditableRow extends NumberRow {
  /** The bounds within which an administrator may change it. */
  readonly editable: { readonly min: number; readonly max: number }
}
interface TextRow extends Described {
  readonly kind: 'text'
}
interface SecretRow extends Described {
  readonly kind: 'secret'
}
/** One setting: its variables, its meaning, and its bounds if it may change. */
export type SettingRow = NumberRow | EditableRow | TextRow | SecretRow

const number = (variable: string, meaning: string): NumberRow => ({
  kind: 'number',
  variables: [variable],
  meaning,
})
const deprecated = (variable: string, meaning: string): NumberRow => ({
  ...number(variable, `Deprecated: ${meaning}`),
  isDeprecated: true,
})
const editable = (variable: string, min: number, max: number, meaning: string): EditableRow => ({
  ...number(variable, meaning),
  editable: { min, max },
})
const text = (variable: string, meaning: string): TextRow => ({
  kind: 'text',
  variables: [variable],
  meaning,
})
const secret = (variables: SecretRow['variables'], meaning: string): SecretRow => ({
  kind: 'secret',
  variables,
  meaning,
})

/**
 * All settings, one row each: its group and name, the variable with its default, and its bounds if an administrator may
 * change it. Reading, validation and reset follow from this table.
 */
export const settingTable = {
  administration: {
    auditorRoleId: text('CHAT_AUDITOR_ROLE_ID', 'Role in the main server for auditors.'),
  },
  cache: {
    permissionTtlMs: editable(
      'PERMISSION_TTL_MS',
      0,
      3_600_000,
      'Without the gateway: the age at which a member’s roles are read again. 0 reads them every time.',
    ),
    projectAccessTtlMs: deprecated(
      'PROJECT_ACCESS_TTL_MS',
      'has no effect. Access is read for each response.',
    ),
    projectAuthTtlMs: deprecated(
      'PROJECT_AUTH_TTL_MS',
      'has no effect. A revoked key is rejected immediately.',
    ),
    statsTtlMs: editable('STATS_TTL_MS', 0, 86_400_000, 'Time for which statistics are cached.'),
  },
  chat: {
    callbackUrl: text('CHAT_CALLBACK_URL', 'OAuth callback address.'),
    clientId: text('CHAT_CLIENT_ID', 'OAuth client ID.'),
    guildId: text('CHAT_GUILD_ID', 'ID of the main server.'),
    clientSecret: secret(['CHAT_CLIENT_SECRET'], 'OAuth client secret.'),
    token: secret(['CHAT_BOT_TOKEN'], 'Bot token.'),
  },
  preferences: {
    memberActivityThresholdDays: editable(
      'MEMBER_ACTIVITY_THRESHOLD_DAYS',
      1,
      365,
      'A member seen within this many days counts as active.',
    ),
  },
  rateLimit: {
    globalLimit: number('RATE_LIMIT_GLOBAL', 'Requests per window and caller. 0 disables the limit.'),
    globalTtlMs: number('RATE_LIMIT_GLOBAL_TTL_MS', 'Length of the rate limit window.'),
    maxWebhooksPerProject: editable(
      'MAX_WEBHOOKS_PER_PROJECT',
      1,
      100,
      'The most inbound webhooks per project.',
    ),
  },
  retention: {
    usageDays: editable('RETENTION_USAGE_DAYS', 1, 36_500, 'Days to keep request counts.'),
    authFailuresDays: editable(
      'RETENTION_AUTH_FAILURES_DAYS',
      1,
      36_500,
      'Days to keep records of rejected keys and sessions, with address and path.',
    ),
    auditDays: editable(
      'RETENTION_AUDIT_DAYS',
      90,
      36_500,
      'Days to keep the audit log. 36,500 is a hundred years.',
    ),
    submissionsDays: editable(
      'RETENTION_SUBMISSIONS_DAYS',
      1,
      36_500,
      'Days to keep submissions to inbound webhooks. 36,500 is a hundred years.',
    ),
    sessionAddressesDays: editable(
      'RETENTION_SESSION_ADDRESSES_DAYS',
      1,
      36_500,
      'Days after a sign-in to keep the address and browser of its session, at most as long as the session.',
    ),
  },
  security: {
    sessionTtlSec: number('SESSION_TTL_SEC', 'Lifetime of a session. A refresh restarts it.'),
    ssoTtlSec: number(
      'SSO_TTL_SEC',
      'Time after a sign-in during which a browser skips the platform’s screen.',
    ),
    webhookEncryptionKey: secret(
      ['OUTBOUND_WEBHOOK_ENCRYPTION_KEY', 'INBOUND_WEBHOOK_ENCRYPTION_KEY'],
      'Both webhook encryption keys.',
    ),
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, SettingRow>>>>

type Table = typeof settingTable
type Dto<Row> = Row extends SecretRow
  ? { readonly editable: false; readonly isSet: boolean }
  : { readonly editable: boolean; readonly value: (Row extends TextRow ? string : number) | null }

type EditableKeys<Group> = { [K in keyof Group]: Group[K] extends EditableRow ? K : never }[keyof Group]

/** The effective value of every setting. */
export type EffectiveSettings = { [G in keyof Table]: { [K in keyof Table[G]]: Dto<Table[G][K]> } } & {
  readonly meta: { readonly updatedAt: string | null; readonly updatedBy: string | null }
}

/** The names of the settings that may change at run time. */
export type EditableSetting = { [G in keyof Table]: EditableKeys<Table[G]> }[keyof Table]

/** New values by group and name. */
export type UpdateSettings = {
  [G in keyof Table as EditableKeys<Table[G]> extends never ? never : G]?: {
    [K in EditableKeys<Table[G]>]?: number
  }
}

const isEditable = (row: SettingRow): row is EditableRow => 'editable' in row

const valueSchema = (row: SettingRow) => {
  if (row.kind === 'secret') {
    return Type.Object(
      { editable: Type.Literal(false), isSet: Type.Boolean() },
      { description: `${row.meaning} The value is never shown.` },
    )
  }
  const value = row.kind === 'number' ? Type.Number() : Type.String()
  return Type.Object(
    { editable: Type.Literal(isEditable(row)), value: Nullable(value) },
    { description: `${row.meaning} Default from ${row.variables.join(', ')}.` },
  )
}

const EffectiveSettings = Type.Unsafe<EffectiveSettings>(
  Type.Object({
    ...Object.fromEntries(
      Object.entries(settingTable).map(([group, rows]) => [
        group,
        Type.Object(Object.fromEntries(Object.entries(rows).map(([key, row]) => [key, valueSchema(row)]))),
      ]),
    ),
    meta: Type.Object({
      updatedAt: Nullable({ ...DateTime, description: 'The time when a setting was last written.' }),
      updatedBy: Nullable(Type.String({ description: 'Member ID of the admin who last changed them.' })),
    }),
  }),
)

const newValues = (rows: Readonly<Record<string, SettingRow>>) =>
  Object.entries(rows).flatMap(([key, row]) => {
    if (!isEditable(row)) return []
    const { min: minimum, max: maximum } = row.editable
    return [[key, Type.Optional(Type.Integer({ minimum, maximum, description: row.meaning }))] as const]
  })

const UpdateSettings = Type.Unsafe<UpdateSettings>(
  Closed(
    Object.fromEntries(
      Object.entries(settingTable).flatMap(([group, rows]) => {
        const values = newValues(rows)
        return values.length === 0 ? [] : [[group, Type.Optional(Closed(Object.fromEntries(values)))]]
      }),
    ),
  ),
)

/** Returns the value of every setting, and whether it may change. Secrets only reveal whether they are set. */
export const getSettings = endpoint({
  method: 'GET',
  path: '/api/admin/settings',
  tag,
  summary: 'Read the effective settings',
  auth: 'admin',
  answers: { 200: EffectiveSettings },
  refuses: [],
})

/** The source of a setting's effective value, and the administrator who last changed it. */
export const SettingSource = Type.Object({
  source: {
    ...OneOf('default', 'environment', 'stored'),
    description:
      'The origin of the value: the default, a variable (for a secret, each of its variables), or a value that an ' +
      'administrator stored.',
  },
  configured: Nullable(
    Type.Number({ description: 'The value after a reset; null if it cannot be changed here.' }),
  ),
  ignored: Nullable(
    Type.Number({
      description: 'The stored value if it is out of bounds in this version. Such a value is ignored.',
    }),
  ),
  changedAt: Nullable({
    ...DateTime,
    description: 'The time when an administrator last changed or reset it.',
  }),
  changedBy: Nullable(
    Type.String({ description: 'Username of that administrator; also null after the person was erased.' }),
  ),
})

/** Returns the source of each value. */
export const getSettingSources = endpoint({
  method: 'GET',
  path: '/api/admin/settings/sources',
  tag,
  summary: 'List the sources of settings',
  description:
    'By `group.key`: `cache.statsTtlMs`. The time of a change is known as long as its audit log entry is kept.',
  auth: 'admin',
  answers: { 200: Type.Object({ sources: Type.Record(Type.String(), SettingSource) }) },
  refuses: [],
})

/** Changes settings, all or none. Refuses values out of bounds with VALIDATION_FAILED. */
export const updateSettings = endpoint({
  method: 'PATCH',
  path: '/api/admin/settings',
  tag,
  summary: 'Change settings',
  description:
    'All changes apply or none. They take effect without a restart: on this instance before the response, on every other ' +
    'within a second. A value that is already in effect is not written.',
  auth: 'admin',
  body: UpdateSettings,
  answers: { 200: EffectiveSettings },
  refuses: [],
})

/** Resets all settings to the values of the environment. */
export const resetSettings = endpoint({
  method: 'POST',
  path: '/api/admin/settings/reset',
  tag,
  summary: 'Clear every stored override',
  auth: 'admin',
  answers: { 200: EffectiveSettings },
  refuses: [],
})

export type SettingSource = Static<typeof SettingSource>
