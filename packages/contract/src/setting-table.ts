interface Described {
  /** The environment variables that provide the value. A secret counts as set if all of them are set. */
  readonly variables: readonly [string, ...string[]]
  readonly meaning: string
}
interface NumberRow extends Described {
  readonly kind: 'number'
  /** True if the setting is only accepted for compatibility, and has no effect. */
  readonly isDeprecated?: true
}
/** A setting that an administrator changes while the service runs. */
export interface EditableRow extends NumberRow {
  /** The bounds within which an administrator may change it. */
  readonly editable: { readonly min: number; readonly max: number }
}
/** A setting with a text as its value. */
export interface TextRow extends Described {
  readonly kind: 'text'
}
/** A secret. Administrators only see whether it is set. */
export interface SecretRow extends Described {
  readonly kind: 'secret'
}
/** One setting: its variables, its meaning, and its bounds if an administrator may change it. */
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
 * All settings by group and name, each with its environment variables, its default, and its bounds if an administrator
 * may change it. Reading, validating, and resetting settings follow from this table.
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
