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
    auditorRoleId: text('CHAT_AUDITOR_ROLE_ID', 'The ID of the role for auditors in the main server.'),
  },
  cache: {
    permissionTtlMs: editable(
      'PERMISSION_TTL_MS',
      0,
      3_600_000,
      'Without the gateway: the age at which the roles of a member are read again. 0 reads them every time.',
    ),
    projectAccessTtlMs: deprecated(
      'PROJECT_ACCESS_TTL_MS',
      'has no effect. A change of access applies to the next request.',
    ),
    projectAuthTtlMs: deprecated(
      'PROJECT_AUTH_TTL_MS',
      'has no effect. A revoked key is rejected at the next request.',
    ),
    statsTtlMs: editable('STATS_TTL_MS', 0, 86_400_000, 'The time for which statistics are cached.'),
  },
  chat: {
    callbackUrl: text('CHAT_CALLBACK_URL', 'The address to which Discord redirects after a sign-in.'),
    clientId: text('CHAT_CLIENT_ID', 'The ID of the Discord application.'),
    guildId: text('CHAT_GUILD_ID', 'The ID of the main server.'),
    clientSecret: secret(['CHAT_CLIENT_SECRET'], 'The OAuth client secret of the Discord application.'),
    token: secret(['CHAT_BOT_TOKEN'], 'The token of the Discord bot.'),
  },
  preferences: {
    memberActivityThresholdDays: editable(
      'MEMBER_ACTIVITY_THRESHOLD_DAYS',
      1,
      365,
      'A member who signed in or refreshed a session within this many days counts as active.',
    ),
  },
  rateLimit: {
    globalLimit: number(
      'RATE_LIMIT_GLOBAL',
      'The maximum number of requests per window for each caller. 0 disables the limit.',
    ),
    globalTtlMs: number('RATE_LIMIT_GLOBAL_TTL_MS', 'The length of the window of the rate limit.'),
    maxWebhooksPerProject: editable(
      'MAX_WEBHOOKS_PER_PROJECT',
      1,
      100,
      'The maximum number of inbound webhooks per project.',
    ),
  },
  retention: {
    usageDays: editable('RETENTION_USAGE_DAYS', 1, 36_500, 'Days for which request counts are kept.'),
    authFailuresDays: editable(
      'RETENTION_AUTH_FAILURES_DAYS',
      1,
      36_500,
      'Days for which rejected requests and refused sign-ins are kept, with IP address and path.',
    ),
    auditDays: editable(
      'RETENTION_AUDIT_DAYS',
      90,
      36_500,
      'Days for which the audit log is kept. 36,500 days are a hundred years.',
    ),
    submissionsDays: editable(
      'RETENTION_SUBMISSIONS_DAYS',
      1,
      36_500,
      'Days for which submissions to inbound webhooks are kept. 36,500 days are a hundred years.',
    ),
    sessionAddressesDays: editable(
      'RETENTION_SESSION_ADDRESSES_DAYS',
      1,
      36_500,
      'Days after a sign-in for which the IP address and the browser of its session are kept, at most as long ' +
        'as the session.',
    ),
  },
  security: {
    sessionTtlSec: number(
      'SESSION_TTL_SEC',
      'The lifetime of a session in seconds. Each refresh restarts it.',
    ),
    ssoTtlSec: number(
      'SSO_TTL_SEC',
      'Seconds after a sign-in in which the browser can sign in again without Discord’s screen.',
    ),
    webhookEncryptionKey: secret(
      ['OUTBOUND_WEBHOOK_ENCRYPTION_KEY', 'INBOUND_WEBHOOK_ENCRYPTION_KEY'],
      'Both webhook encryption keys.',
    ),
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, SettingRow>>>>
