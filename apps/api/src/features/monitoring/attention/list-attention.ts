import { attention, type audit, type monitoring } from '@rolecall/contract'
import type { Deps } from '../../../deps.ts'
import { type QueueState, readQueues } from '../queues-store.ts'
import { attentionOfHealth, type Item } from './of-health.ts'
import { type Finding, type FoundCode, listFindings, protectsHosts } from './store.ts'

/**
 * The ages in seconds of the oldest row at which a queue counts as stuck. Rows are normally sent within seconds. The
 * rows of the outbox are kept for 25 hours on purpose. The other queues are not checked here.
 */
const oldSeconds: Readonly<Record<string, number>> = {
  outbox: 26 * 60 * 60,
  notifications: 15 * 60,
  event_deliveries: 2 * 60,
}

/** The functions that find problems outside this module. */
export interface AttentionNeeds {
  readonly health: () => Promise<monitoring.SystemHealth>
  readonly chain: () => Promise<audit.AuditChain>
  /** Returns a sentence for each encryption key that differs from the key that encrypted the stored secrets. */
  readonly changedKeys: () => Promise<readonly string[]>
}

/** Lists the problems that need an administrator now: errors first, and then warnings. */
export async function listAttention(
  { db, config }: Pick<Deps, 'db' | 'config'>,
  { health, chain, changedKeys }: AttentionNeeds,
): Promise<{ data: attention.Attention[]; total: number }> {
  const [system, log, keys, findings, queues, hasHosts] = await Promise.all([
    health(),
    chain(),
    changedKeys(),
    listFindings(db),
    readQueues(db),
    config.trustProxy.length === 0 ? protectsHosts(db) : false,
  ])
  const data = [
    ...attentionOfHealth(system),
    ...(log.problem === null ? [] : [{ ...item('AUDIT_CHAIN_BROKEN', log.problem), since: log.problemAt }]),
    ...missingKeys(config),
    ...keys.map((problem) => item('ENCRYPTION_KEY_CHANGED', problem)),
    ...findings.map(ofFinding),
    ...[...queues].flatMap(ofQueue),
    ...(hasHosts ? [item('PROXY_NOT_TRUSTED', 'TRUST_PROXY is empty.')] : []),
  ]
    .map(toAttention)
    .sort((one, other) => places[one.code] - places[other.code])
  return { data, total: data.length }
}

const item = (code: Item['code'], detail: string): Item => ({ code, detail, subject: null, since: null })

/** Adds the title, the severity, and the fix of the code. */
const toAttention = ({ code, ...rest }: Item): attention.Attention => ({
  code,
  ...attention.attentionCodes[code],
  ...rest,
})

// The order of the problems: by severity, and then as in the table of the contract.
const codes = Object.keys(attention.attentionCodes) as attention.AttentionCode[]
const rank = (code: attention.AttentionCode) =>
  attention.attentionCodes[code].severity === 'error' ? 0 : codes.length
const places = Object.fromEntries(codes.map((code, i) => [code, rank(code) + i])) as Record<
  attention.AttentionCode,
  number
>

function missingKeys({ outboundKey, inboundKey }: Deps['config']): Item[] {
  const keys = { OUTBOUND_WEBHOOK_ENCRYPTION_KEY: outboundKey, INBOUND_WEBHOOK_ENCRYPTION_KEY: inboundKey }
  return Object.entries(keys).flatMap(([name, key]) =>
    key === undefined
      ? [
          {
            ...item(
              'ENCRYPTION_KEY_MISSING',
              `${name} is not set, so secrets that it encrypts cannot be stored.`,
            ),
            subject: { type: 'variable' as const, id: name, name },
          },
        ]
      : [],
  )
}

const times = (count: number | null) => (count === 1 ? 'once' : `${count ?? 0} times`)

/** Builds the sentence about a finding, by its code. */
const sentences: Readonly<Record<FoundCode, (found: Finding) => string>> = {
  SYNC_FAILED: ({ name, word }) => `The member sync of ${name} did not finish. ${word ?? ''}`.trim(),
  EVENTS_SWITCHED_OFF: ({ name }) => `Events of ${name} are no longer sent.`,
  EVENTS_FAILING: ({ name, count }) => `The receiver of ${name} has failed ${times(count)} in a row.`,
  NOTICES_SWITCHED_OFF: ({ name, word }) => `The webhook of ${name} was removed. ${word ?? ''}`.trim(),
  NOTICES_FAILING: ({ name, count }) => `Notices of ${name} have failed ${times(count)} in a row.`,
  CLIENT_LOGOUTS_FAILING: ({ name, count, word }) =>
    `${name} missed ${count} ended ${count === 1 ? 'session' : 'sessions'}. ${word ?? ''}`.trim(),
  SIGN_INS_FAILING: ({ name, count, word }) =>
    `${name}: ${count} sign-ins were refused within the last hour, more than succeeded. Most frequent reason: \`${word}\`.`,
  CREDENTIALS_REJECTED: ({ name, count, word }) =>
    `${name}: the key ${word} was rejected ${times(count)} within the last hour.`,
  KEY_ENDING: ({ name, word, until }) => `${name}: the key ${word} expires at ${until} and was used today.`,
}

const ofFinding = (found: Finding): Item => ({
  code: found.code,
  detail: sentences[found.code](found),
  subject: { type: found.code === 'SYNC_FAILED' ? 'server' : 'project', id: found.id, name: found.name },
  since: found.since,
})

const ofQueue = ([name, { rows, oldestSeconds }]: [string, QueueState]): Item[] =>
  oldestSeconds > (oldSeconds[name] ?? Number.POSITIVE_INFINITY)
    ? [
        {
          ...item(
            'QUEUE_OLD',
            `Waiting in ${name}: ${rows}, the oldest for ${Math.round(oldestSeconds / 60)} minutes.`,
          ),
          subject: { type: 'queue', id: name, name },
        },
      ]
    : []
