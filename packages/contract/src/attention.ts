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
    title: 'The database takes no writes',
    mend: 'Point DATABASE_URL at the primary, promote this server, or switch default_transaction_read_only off.',
  },
  DATABASE_FULL: {
    severity: 'error',
    title: 'The disk of the database is full',
    mend: 'Make its volume larger or free space on it. Nothing has to be restarted.',
  },
  AUDIT_CHAIN_BROKEN: {
    severity: 'error',
    title: 'The audit log is not as it was written',
    mend: 'Keep a copy as evidence, run `rolecall audit verify`, and compare with a back-up.',
  },
  ENCRYPTION_KEY_MISSING: {
    severity: 'error',
    title: 'An encryption key is not configured',
    mend: 'Set the variable to 64 hexadecimal characters, such as `openssl rand -hex 32` prints, and start again.',
  },
  ENCRYPTION_KEY_CHANGED: {
    severity: 'error',
    title: 'An encryption key is not the one that secrets were sealed under',
    mend: 'Restore the old key. Where it is lost, set the secrets anew.',
  },
  GATEWAY_REFUSED: {
    severity: 'error',
    title: 'The chat platform refuses the gateway connection',
    mend: 'Do what the detail says at the developer portal of the platform; an intent is switched on there under Bot.',
  },
  CHAT_PLATFORM_DOWN: {
    severity: 'error',
    title: 'The chat platform does not answer',
    mend: 'Look at its status page. Sessions go on; new logins wait, and roles are those that were known last.',
  },
  BOT_NOT_IN_SERVER: {
    severity: 'error',
    title: 'The bot is not in a registered server',
    mend: 'Invite it again with the link that the page of servers shows, or remove the server.',
  },
  CACHE_DOWN: {
    severity: 'warning',
    title: 'The cache does not answer',
    mend: 'Start it, or correct CACHE_URL. Until then replay protection and the rate limit pause.',
  },
  GATEWAY_DOWN: {
    severity: 'warning',
    title: 'Roles are not followed live',
    mend: 'Nothing where it comes back within minutes. Otherwise look at the log for why the gateway does not connect.',
  },
  SERVER_NOT_LIVE: {
    severity: 'warning',
    title: 'The members of a server are as they were some time ago',
    mend: 'Look at the status of the chat platform, or read the server again. A day later its members are refused.',
  },
  IDENTIFY_BUDGET_LOW: {
    severity: 'warning',
    title: 'Few gateway sessions are left for today',
    mend: 'Do not restart the service over and over: the platform resets the token of a bot that begins more.',
  },
  CHAT_REQUESTS_REFUSED: {
    severity: 'warning',
    title: 'The chat platform refuses many requests',
    mend: 'Check the bot token, and that the bot is in every registered server. At 10,000 in ten minutes the platform bans the address.',
  },
  SYNC_FAILED: {
    severity: 'warning',
    title: 'The last reading of a server failed',
    mend: 'Read its members again once what the detail names is mended.',
  },
  EVENTS_SWITCHED_OFF: {
    severity: 'error',
    title: 'A project gets no events any more',
    mend: 'Mend its receiver, set `eventsUrl` again, and send again what failed.',
  },
  EVENTS_FAILING: {
    severity: 'warning',
    title: 'A project does not take its events',
    mend: 'Mend its receiver. It is switched off when it has taken nothing for 24 hours.',
  },
  NOTICES_SWITCHED_OFF: {
    severity: 'warning',
    title: 'The channel of a project is gone',
    mend: 'Make a webhook in the channel and set `webhookUrl` of the project to its address.',
  },
  NOTICES_FAILING: {
    severity: 'warning',
    title: 'Notices of a project cannot be delivered',
    mend: 'Check the webhook in its channel. What waits is given up after 24 hours.',
  },
  CLIENT_LOGOUTS_FAILING: {
    severity: 'warning',
    title: 'A client does not hear that sessions ended',
    mend: 'Mend what answers at its `backchannelLogoutUri`.',
  },
  SIGN_INS_FAILING: {
    severity: 'warning',
    title: 'Sign-ins of a project fail',
    mend: 'Look at the rejected credentials of the project: most often its redirect URI or its exchange of the code is wrong.',
  },
  CREDENTIALS_REJECTED: {
    severity: 'warning',
    title: 'A key is refused over and over',
    mend: 'Find what still uses it and give it the new key, or restore the key if it was revoked by mistake.',
  },
  KEY_ENDING: {
    severity: 'warning',
    title: 'A key that is still used is about to end',
    mend: 'Give the programs that use it the new key before then.',
  },
  PROXY_NOT_TRUSTED: {
    severity: 'warning',
    title: 'Hosts are protected, and no proxy is trusted',
    mend: 'Name the address of the reverse proxy in TRUST_PROXY: until then every request of theirs is refused.',
  },
  QUEUE_OLD: {
    severity: 'warning',
    title: 'A queue is not processed in time',
    mend: 'Look at the log: the workers of the queue stand still, or there is more than they can send.',
  },
})

/** A code for each condition that may need an administrator. */
export type AttentionCode = keyof typeof attentionCodes

/** A condition that an administrator should fix, with instructions. */
export const Attention = Type.Object({
  code: Type.Unsafe<AttentionCode>({ type: 'string', enum: Object.keys(attentionCodes) }),
  severity: OneOf('error', 'warning'),
  title: Type.String(),
  detail: Type.String({ description: 'The finding.' }),
  subject: Nullable(
    Type.Object({
      type: OneOf('project', 'server', 'variable', 'queue'),
      id: Type.String(),
      name: Type.String(),
    }),
  ),
  since: Nullable({ ...DateTime, description: 'As far as it is known.' }),
  mend: Type.String({ description: 'The remedy.' }),
})

/** Lists the conditions that need an administrator now. Computed for each request, so a fixed condition disappears. */
export const listAttention = endpoint({
  method: 'GET',
  path: '/api/admin/attention',
  tag: 'Monitoring',
  summary: 'List what needs an administrator, the worst first, each with its mend',
  description:
    'Nothing is stored and nothing is dismissed: an item is there for as long as what it tells of. At most 100 are answered of one code.',
  auth: 'admin',
  answers: { 200: Type.Object({ data: Type.Array(Attention), total: Type.Integer() }) },
  refuses: [],
})

export type Attention = Static<typeof Attention>
