import { type Static, Type } from 'typebox'
import { endpoint } from './endpoint.ts'
import { DateTime, Nullable, OneOf } from './formats.ts'

/** The meaning of an attention code: its severity, its title and its fix. */
interface AttentionDefinition {
  readonly severity: 'error' | 'warning'
  readonly title: string
  readonly mend: string
}

const define = <const Table extends Record<string, AttentionDefinition>>(table: Table) => table

/** All conditions that may need an administrator. Responses list the worst first, then in this order. */
export const attentionCodes = define({
  DATABASE_READ_ONLY: {
    severity: 'error',
    title: 'The database accepts no writes',
    mend:
      'Point DATABASE_URL at the primary, promote this database server, or turn default_transaction_read_only ' +
      'off.',
  },
  DATABASE_FULL: {
    severity: 'error',
    title: 'The disk of the database is full',
    mend: 'Enlarge the volume of the database, or free space on it. No restart is needed.',
  },
  AUDIT_CHAIN_BROKEN: {
    severity: 'error',
    title: 'The audit log was altered',
    mend: 'Keep a copy as evidence, run `rolecall audit verify`, and compare it with a backup.',
  },
  ENCRYPTION_KEY_MISSING: {
    severity: 'error',
    title: 'An encryption key is not configured',
    mend:
      'Set the variable to 64 hexadecimal characters, and restart the service. If there was a key before, set ' +
      'the same one. Otherwise, create it with `openssl rand -hex 32`.',
  },
  ENCRYPTION_KEY_CHANGED: {
    severity: 'error',
    title: 'An encryption key does not match the stored secrets',
    mend: 'Restore the old key. If it is lost, set the webhook addresses and the secrets again.',
  },
  GATEWAY_REFUSED: {
    severity: 'error',
    title: 'Discord rejects the gateway connection',
    mend: 'Do what the detail says in the Discord developer portal. Intents are on the page Bot.',
  },
  CHAT_PLATFORM_DOWN: {
    severity: 'error',
    title: 'Discord does not respond',
    mend:
      'Check https://discordstatus.com. Sessions continue with the last known roles. New sign-ins fail until ' +
      'Discord responds.',
  },
  BOT_NOT_IN_SERVER: {
    severity: 'error',
    title: 'The bot is not in a registered server',
    mend: 'Invite the bot again with the link on the Servers page, or remove the server.',
  },
  CACHE_DOWN: {
    severity: 'warning',
    title: 'The cache does not respond',
    mend: 'Start the cache, or correct CACHE_URL. Until then, replay protection and the rate limit are off.',
  },
  GATEWAY_DOWN: {
    severity: 'warning',
    title: 'Roles are not live',
    mend: 'Wait a few minutes: the gateway reconnects by itself. If it does not, find the cause in the log.',
  },
  SERVER_NOT_LIVE: {
    severity: 'warning',
    title: 'The members of a server are outdated',
    mend:
      'Check https://discordstatus.com, or choose “Read all members” on the page of the server. When its data ' +
      'is a day old, its members are refused.',
  },
  IDENTIFY_BUDGET_LOW: {
    severity: 'warning',
    title: 'Few gateway sessions are left for today',
    mend: 'Do not restart the service repeatedly. Discord resets the token of a bot that starts too many sessions.',
  },
  CHAT_REQUESTS_REFUSED: {
    severity: 'warning',
    title: 'Discord rejects many requests',
    mend:
      'Check the bot token, and that the bot is in every registered server. At 10,000 rejected requests in ten minutes, ' +
      'Discord bans the address.',
  },
  SYNC_FAILED: {
    severity: 'warning',
    title: 'The last member sync of a server failed',
    mend: 'Fix the problem in the detail. Then choose “Read all members” on the page of the server.',
  },
  EVENTS_SWITCHED_OFF: {
    severity: 'error',
    title: 'Event delivery to a project is disabled',
    mend: 'Fix the receiver of the project, set `eventsUrl` again, and resend the failed events.',
  },
  EVENTS_FAILING: {
    severity: 'warning',
    title: 'A project does not accept its events',
    mend: 'Fix the receiver of the project. After 24 hours without an accepted event, delivery is disabled.',
  },
  NOTICES_SWITCHED_OFF: {
    severity: 'warning',
    title: 'The webhook of a project no longer exists',
    mend: 'Create a webhook in the channel and set `webhookUrl` of the project to its address.',
  },
  NOTICES_FAILING: {
    severity: 'warning',
    title: 'Notices of a project cannot be delivered',
    mend: 'Check the webhook in its channel. Pending notices are discarded after 24 hours.',
  },
  CLIENT_LOGOUTS_FAILING: {
    severity: 'warning',
    title: 'A client is not notified of ended sessions',
    mend: 'Fix the receiver at `backchannelLogoutUri` of the project.',
  },
  SIGN_INS_FAILING: {
    severity: 'warning',
    title: 'Sign-ins of a project fail',
    mend:
      'Check the rejected requests of the project. Usually, its redirect URI or its exchange of the code is ' +
      'wrong.',
  },
  CREDENTIALS_REJECTED: {
    severity: 'warning',
    title: 'A key is rejected repeatedly',
    mend:
      'Find the program that still uses this key, and give it the new key. If the key was revoked by mistake, ' +
      'restore it.',
  },
  KEY_ENDING: {
    severity: 'warning',
    title: 'A key that is still used is about to expire',
    mend: 'Give the programs that use this key the new key before it expires.',
  },
  PROXY_NOT_TRUSTED: {
    severity: 'warning',
    title: 'Hosts are protected, but no proxy is trusted',
    mend: 'Add the address of the reverse proxy to TRUST_PROXY. Until then, every request to these hosts is rejected.',
  },
  QUEUE_OLD: {
    severity: 'warning',
    title: 'A queue is not processed in time',
    mend: 'Check the log. The workers of the queue have stopped, or the queue grows faster than they can process it.',
  },
})

/** A code for each condition that may need an administrator. */
export type AttentionCode = keyof typeof attentionCodes

/** A condition that an administrator should fix, with instructions. */
export const Attention = Type.Object({
  code: Type.Unsafe<AttentionCode>({ type: 'string', enum: Object.keys(attentionCodes) }),
  severity: OneOf('error', 'warning'),
  title: Type.String(),
  detail: Type.String({ description: 'The problem in this case, with names and numbers.' }),
  subject: Nullable(
    Type.Object({
      type: OneOf('project', 'server', 'variable', 'queue'),
      id: Type.String(),
      name: Type.String(),
    }),
  ),
  since: Nullable({ ...DateTime, description: 'The start of the problem, if it is known.' }),
  mend: Type.String({ description: 'The fix.' }),
})

/** Lists the conditions that need an administrator now. Computed for each request, so a fixed condition disappears. */
export const listAttention = endpoint({
  method: 'GET',
  path: '/api/admin/attention',
  tag: 'Monitoring',
  summary: 'List problems that need an administrator, the most severe first, each with its fix',
  description:
    'Each request checks again. An item disappears when its problem is fixed, and cannot be dismissed. At ' +
    'most 100 items per code are returned.',
  auth: 'admin',
  answers: { 200: Type.Object({ data: Type.Array(Attention), total: Type.Integer() }) },
  refuses: [],
})

export type Attention = Static<typeof Attention>
