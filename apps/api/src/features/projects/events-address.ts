import { randomBytes } from 'node:crypto'
import type { ProblemDetail } from '@rolecall/contract'
import { openOrUndefined, seal } from '#platform/crypto/seal'
import type { Tx } from '#platform/db/database'
import { ApiError } from '#platform/http/api-error'
import type { Config } from '../../config.ts'
import { findEndpoint, storeEventsUrl, storeNewSecret } from './events-address-store.ts'
import { complaintAboutOutgoing, type OutgoingTerms, readOutgoingUrl } from './outgoing-address.ts'

/** Returns the problems of the address for events in a request. Returns none if the request does not contain one. */
export function complaintsAboutEventsUrl(
  config: OutgoingTerms,
  text: string | null | undefined,
): ProblemDetail[] {
  const message = complaintAboutOutgoing(text, config)
  return message === undefined ? [] : [{ path: '/eventsUrl', message, code: 'EVENTS_URL' }]
}

/**
 * Creates a signing secret for the events of a project, in the format of Standard Webhooks. Returns it in plain text,
 * and encrypted for the database.
 *
 * @throws ENCRYPTION_KEY_MISSING
 */
export function mintEventsSecret({ outboundKey }: Pick<Config, 'outboundKey'>, projectId: string) {
  if (!outboundKey) {
    const detail = 'The outbound-webhook encryption key is not configured.'
    throw new ApiError('ENCRYPTION_KEY_MISSING', { detail })
  }
  const secret = `whsec_${randomBytes(32).toString('base64')}`
  return { secret, secretSealed: seal(outboundKey, eventsSecretRow(projectId), secret) }
}

/** Decrypts a signing secret. Returns undefined if the encryption key is missing or wrong. */
export const openEventsSecret = (
  { outboundKey }: Pick<Config, 'outboundKey'>,
  projectId: string,
  sealed: Uint8Array,
) => (outboundKey ? openOrUndefined(outboundKey, eventsSecretRow(projectId), sealed) : undefined)

/**
 * Returns the context to which the encrypted secret is bound. It differs from that of the project's webhook address, so
 * that one cannot be exchanged for the other in the database.
 */
const eventsSecretRow = (projectId: string) => `${projectId}:events`

/** The result of `setEventsUrl`. */
export interface SetEventsUrl {
  /**
   * The change for the audit entry. It contains only origins, because an address may contain a token of the receiver.
   */
  readonly changes: Record<string, { before: unknown; after: unknown }>
  /** The new signing secret. Set if this is the project's first address. */
  readonly secret?: string
}

/**
 * Sets the address for events, or removes it if `wanted` is null. If delivery was disabled, setting the current address
 * again enables it.
 *
 * @throws ENCRYPTION_KEY_MISSING
 */
export async function setEventsUrl(
  config: Config,
  tx: Tx,
  projectId: string,
  wanted: string | null | undefined,
): Promise<SetEventsUrl> {
  if (wanted === undefined) return { changes: {} }
  const before = await findEndpoint(tx, projectId)
  const url = wanted === null ? null : (readOutgoingUrl(wanted, config) ?? null)
  if (url === (before?.url ?? null) && !before?.disabledAt) return { changes: {} }
  await storeEventsUrl(tx, projectId, url)
  const changes = { eventsUrl: { before: originOf(before?.url), after: originOf(url) } }
  if (url === null || before?.hasSecret) return { changes }
  const { secret, secretSealed } = mintEventsSecret(config, projectId)
  await storeNewSecret(tx, projectId, secretSealed, 0)
  return { changes, secret }
}

const originOf = (url: string | null | undefined) => (url ? new URL(url).origin : null)
