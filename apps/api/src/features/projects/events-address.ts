import { randomBytes } from 'node:crypto'
import type { ProblemDetail } from '@rolecall/contract'
import { openOrUndefined, seal } from '#platform/crypto/seal'
import type { Tx } from '#platform/db/database'
import { ApiError } from '#platform/http/api-error'
import type { Config } from '../../config.ts'
import { findEndpoint, storeEventsUrl, storeNewSecret } from './events-address-store.ts'
import { complaintAboutOutgoing, type OutgoingTerms, readOutgoingUrl } from './outgoing-address.ts'

/** Returns the problems with the address in a request, if it contains one. */
export function complaintsAboutEventsUrl(
  config: OutgoingTerms,
  text: string | null | undefined,
): ProblemDetail[] {
  const message = complaintAboutOutgoing(text, config)
  return message === undefined ? [] : [{ path: '/eventsUrl', message, code: 'EVENTS_URL' }]
}

/**
 * Creates a signing secret for a project in the format of Standard Webhooks, with its sealed form for storage.
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

/** Decrypts a signing secret; returns undefined if it cannot be read with the current key. */
export const openEventsSecret = (
  { outboundKey }: Pick<Config, 'outboundKey'>,
  projectId: string,
  sealed: Uint8Array,
) => (outboundKey ? openOrUndefined(outboundKey, eventsSecretRow(projectId), sealed) : undefined)

/**
 * Returns the value to which a sealed secret is bound, so that a sealed webhook address of the same project cannot
 * replace it.
 */
const eventsSecretRow = (projectId: string) => `${projectId}:events`

export interface SetEventsUrl {
  /** The change for the audit log. It names only origins, because an address may contain a token of the receiver. */
  readonly changes: Record<string, { before: unknown; after: unknown }>
  /** Set with the first address. */
  readonly secret?: string
}

/** Sets or clears the address for events. Setting the current address again switches it on if it was switched off. */
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
