import { randomBytes } from 'node:crypto'
import type { ProblemDetail } from '@rolecall/contract'
import { openOrUndefined, seal } from '#platform/crypto/seal'
import type { Tx } from '#platform/db/database'
import { ApiError } from '#platform/http/api-error'
import type { Config } from '../../config.ts'
import { findEndpoint, storeEventsUrl, storeNewSecret } from './events-address-store.ts'
import { complaintAboutOutgoing, type OutgoingTerms, readOutgoingUrl } from './outgoing-address.ts'

/** What is wrong with the address that a request carries, if it carries one. */
export function complaintsAboutEventsUrl(
  config: OutgoingTerms,
  text: string | null | undefined,
): ProblemDetail[] {
  const message = complaintAboutOutgoing(text, config)
  return message === undefined ? [] : [{ path: '/eventsUrl', message, code: 'EVENTS_URL' }]
}

/**
 * Makes a signing secret of a project, as Standard Webhooks writes them, and what is stored of it.
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

/** A signing secret; undefined where it cannot be read with the key that there is. */
export const openEventsSecret = (
  { outboundKey }: Pick<Config, 'outboundKey'>,
  projectId: string,
  sealed: Uint8Array,
) => (outboundKey ? openOrUndefined(outboundKey, eventsSecretRow(projectId), sealed) : undefined)

/** What a sealed secret is bound to: a webhook address of the same project does not open in its place. */
const eventsSecretRow = (projectId: string) => `${projectId}:events`

export interface SetEventsUrl {
  /** What may be told of it: an address may hold a token of the receiver’s, its origin does not. */
  readonly changes: Record<string, { before: unknown; after: unknown }>
  /** Of the first address. */
  readonly secret?: string
}

/** Sets or clears the address that events go to. The one that is there already begins anew where it was switched off. */
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
