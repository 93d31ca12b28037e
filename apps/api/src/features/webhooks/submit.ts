import { createHash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { uuidv7 } from '#platform/crypto/uuid'
import { ApiError } from '#platform/http/api-error'
import { readBody } from '#platform/http/read-body'
import { invalid } from '#platform/http/router'
import { validateValue } from '#platform/json-schema/validate-value'
import type { Deps } from '../../deps.ts'
import type { ProjectCaller } from '../callers.ts'
import { createReadyWebhooks, type ReadyWebhook } from './ready-webhooks.ts'
import { type Signature, verifySignature } from './signature.ts'
import { createSubmissionStore, type Outcome } from './store-submissions.ts'

/** Longer bodies are refused: reading and checking one must stay a matter of milliseconds. */
const mostBytes = 256 * 1024

/** A request as the sender sent it. */
export interface SubmitRequest {
  readonly idOrSlug: string
  readonly headers: IncomingHttpHeaders
  readonly bytes: Buffer
}

/**
 * Takes submissions. Who and where comes before what: the webhook (404), whether it is open (410), the
 * origin (403), the signature (401), then the payload (415, 400, 413, 422), and last what only the database
 * can say: a key used for something else (422), a signature used before (409).
 */
export function createSubmit({
  db,
  config,
  cache,
  notifications,
}: Pick<Deps, 'db' | 'config' | 'cache' | 'notifications'>) {
  const find = createReadyWebhooks(db, config)
  const store = createSubmissionStore(db, notifications.wake)

  return async (caller: ProjectCaller, { idOrSlug, headers, bytes }: SubmitRequest) => {
    const { projectId } = caller
    const found = await find({ projectId, idOrSlug })
    if (!found) throw new ApiError('WEBHOOK_NOT_FOUND', { projectId })
    if (!found.isActive) throw new ApiError('WEBHOOK_INACTIVE', { projectId })
    const webhook = await found.ready()
    if (!webhook) throw new ApiError('WEBHOOK_NOT_FOUND', { projectId })
    const origin = checkOrigin(webhook, headers.origin, projectId)
    const nowSec = Math.floor(found.nowMs / 1000)
    const signature = checkSignature(webhook, headers['x-svc-signature'], bytes, nowSec, projectId)
    const idempotency = readIdempotencyKey(headers['idempotency-key'], bytes)
    const outcome = await store({
      id: uuidv7(),
      webhookId: webhook.id,
      payload: readPayload(webhook, headers, bytes, projectId),
      origin,
      signature,
      // The specification lets replay protection pause with the cache; marks are made all the same.
      refusesReplay: cache.isUp(),
      idempotency,
    })
    return answer(outcome, projectId)
  }
}

function checkOrigin({ acceptedOrigins }: ReadyWebhook, origin: string | undefined, projectId: string) {
  if (acceptedOrigins.length > 0 && (origin === undefined || !acceptedOrigins.includes(origin))) {
    throw new ApiError('ORIGIN_NOT_ALLOWED', { projectId })
  }
  return origin?.slice(0, 255) ?? null
}

function checkSignature(
  { requireSignature, secret }: ReadyWebhook,
  header: string | string[] | undefined,
  bytes: Buffer,
  nowSec: number,
  projectId: string,
): Signature | undefined {
  if (header === undefined && !requireSignature) return undefined
  const refuse = (reason: string) => new ApiError('SIGNATURE_INVALID', { reason, projectId })
  if (header === undefined) throw refuse('missing')
  if (secret === undefined) throw new ApiError('SECRET_UNREADABLE', { projectId })
  const signature = verifySignature(String(header), secret, bytes, nowSec)
  if (typeof signature === 'string') throw refuse(signature)
  return signature
}

function readIdempotencyKey(header: string | string[] | undefined, bytes: Buffer) {
  if (header === undefined) return undefined
  if (typeof header !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(header)) {
    const message = 'must be one key of 1 to 255 printable ASCII characters'
    throw invalid([{ path: '/Idempotency-Key', message, code: 'IDEMPOTENCY_KEY' }])
  }
  return { key: header, bodyDigest: createHash('sha256').update(bytes).digest('base64url') }
}

/**
 * The text of exactly what was validated. What one JSON reader takes for this and another for that, like a
 * key that was sent twice, is not in it.
 */
function readPayload(
  { schema }: ReadyWebhook,
  { 'content-type': type, 'content-encoding': encoding }: IncomingHttpHeaders,
  bytes: Buffer,
  projectId: string,
): string {
  if (bytes.length > mostBytes) throw new ApiError('PAYLOAD_TOO_LARGE', { projectId })
  const payload = readBody(type, encoding, withoutByteOrderMark(bytes))
  const errors = validateValue(schema, payload)
  if (errors.length > 0) throw new ApiError('PAYLOAD_INVALID', { errors, projectId })
  return JSON.stringify(payload)
}

/** RFC 8259 §8.1 lets a reader ignore it; the signature is over the bytes with it. */
const withoutByteOrderMark = (bytes: Buffer) =>
  bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes

function answer(outcome: Outcome, projectId: string) {
  switch (outcome) {
    case 'replayed':
      throw new ApiError('SIGNATURE_REPLAYED', { projectId })
    case 'key_reused':
      throw new ApiError('IDEMPOTENCY_KEY_REUSED', { projectId })
    case 'closed':
      throw new ApiError('WEBHOOK_INACTIVE', { projectId })
    default:
      return { id: outcome.id, receivedAt: outcome.receivedAt.toISOString() }
  }
}
