import { createHash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { maxPayloadBytes, type ProblemDetail, webhooks } from '@rolecall/contract'
import type { FastifyRequest } from 'fastify'
import { digestOf } from '#platform/crypto/tokens'
import { uuidv7 } from '#platform/crypto/uuid'
import { ApiError } from '#platform/http/api-error'
import { invalid } from '#platform/http/check-request'
import { readApiKey } from '#platform/http/credentials'
import { parseBody, readBodyText } from '#platform/http/read-body'
import { tooLongFor } from '#platform/http/read-bytes'
import { admit } from '#platform/http/router'
import { compile } from '#platform/http/validation'
import { keyBucket } from '#platform/rate-limit/key-bucket'
import type { Verdict } from '#platform/rate-limit/verdict'
import type { Deps } from '../../deps.ts'
import {
  refusalOfTime,
  refusals,
  type Signature,
  type SignatureRefusal,
  verifySignature,
} from './signature.ts'
import { createSubmissionStore, type Outcome } from './submission-batcher.ts'
import { createSubmitTargets, type SubmitTarget } from './submit-targets.ts'

interface SubmitDeps extends Pick<Deps, 'db' | 'config' | 'cache' | 'limiter' | 'schemas'> {
  /** Returns the project ID of a valid key. Throws for any other key. */
  readonly checkKey: (key: string) => Promise<string>
}

/**
 * Creates the handler that accepts submissions to inbound webhooks. It checks in this order, after the router has
 * rejected bodies above its own limit:
 *
 * 1. The sender and the target: the key (401, 429), the webhook (404), its status (410), the origin (403), the
 * signature (401), and the form of the idempotency key (400).
 * 2. The payload: its length (413), its type (415), its JSON (400), and the schema (422).
 * 3. In the database: an idempotency key used with another body (422), and a signature used before (409).
 *
 * A submission is first checked against the cached target. The statement that stores the submission stores nothing if
 * the target is outdated. If the check fails or the target is outdated, the submission is checked again, against the
 * current target. So an outdated cache neither accepts nor rejects a submission.
 */
export function createSubmit({ db, config, cache, limiter, schemas, checkKey }: SubmitDeps) {
  const targets = createSubmitTargets(db, config, schemas)
  const store = createSubmissionStore({ db, cache })

  return async (request: FastifyRequest) => {
    const { headers, params } = request
    const bytes = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
    const key = readApiKey(request.raw)
    const named = { keyDigest: digestOf(key), idOrSlug: (params as { id: string }).id }
    const readPayload = createPayloadReader(headers, bytes)
    let taken: Verdict | Promise<Verdict> | undefined
    for (let known = targets.cached(named); ; known = undefined) {
      try {
        const projectId = known?.projectId ?? (await checkKey(key))
        taken ??= limiter.consume(keyBucket(named.keyDigest))
        const caller = { projectId, keyDigest: named.keyDigest, bucket: keyBucket(named.keyDigest) }
        await admit(limiter, request, caller, taken)
        const problems = known ? [] : checkParams(params)
        if (problems.length > 0) throw invalid(problems)
        const { target, nowMs } = known
          ? { target: known, nowMs: undefined }
          : await targets.read(projectId, named)
        const outcome = await store({
          id: uuidv7(),
          target,
          origin: checkOrigin(target, headers.origin),
          signature: checkSignature(target, headers['x-svc-signature'], bytes, nowMs),
          idempotency: readIdempotencyKey(headers['idempotency-key'], bytes),
          payload: await readPayload(target),
        })
        if (outcome !== 'stale') return answer(outcome, projectId)
      } catch (error) {
        // A rejection by the cached target is not final. The next turn reads the current one.
        if (!known || !(error instanceof ApiError)) throw error
      }
    }
  }
}

const checkParams = compile(webhooks.submit.params)

/** Returns the origin to store, or throws ORIGIN_NOT_ALLOWED. Without accepted origins, every sender is accepted. */
function checkOrigin({ acceptedOrigins, projectId }: SubmitTarget, origin: string | undefined) {
  if (acceptedOrigins.length > 0 && (origin === undefined || !acceptedOrigins.includes(origin))) {
    throw new ApiError('ORIGIN_NOT_ALLOWED', { projectId })
  }
  return origin?.slice(0, 255) ?? null
}

/**
 * Verifies the signature. Checks its time only if `nowMs` is defined. Otherwise, the statement that stores the
 * submission checks the time.
 */
function checkSignature(
  { requireSignature, secret, projectId }: SubmitTarget,
  header: string | string[] | undefined,
  bytes: Buffer,
  nowMs: number | undefined,
): Signature | undefined {
  if (header === undefined && !requireSignature) return undefined
  const refuse = (reason: SignatureRefusal, more = '') =>
    new ApiError('SIGNATURE_INVALID', { reason, detail: refusals[reason] + more, projectId })
  if (header === undefined) throw refuse('missing')
  if (typeof secret !== 'string') throw secret.refusal(projectId)
  const signature = verifySignature(String(header), secret, bytes)
  if (typeof signature === 'string') throw refuse(signature)
  // `late` follows the verification, so that only the sender of a valid signature learns the time of the service.
  const late = nowMs === undefined ? undefined : refusalOfTime(signature, nowMs)
  if (late) throw refuse(late.refusal, ` It is ${late.offSec} s off.`)
  return signature
}

/** Reads the idempotency key, and computes the digest that recognizes the same body. Undefined without the header. */
function readIdempotencyKey(header: string | string[] | undefined, bytes: Buffer) {
  if (header === undefined) return undefined
  if (typeof header !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(header)) {
    const message = 'must be one key of 1 to 255 printable ASCII characters'
    throw invalid([{ path: '/Idempotency-Key', message, code: 'IDEMPOTENCY_KEY' }])
  }
  return { key: header, bodyDigest: createHash('sha256').update(bytes).digest('base64url') }
}

/**
 * Creates a function that validates the body against a target, and returns the bytes to store, which are those sent.
 * `parseBody` rejects duplicate keys, so every JSON parser reads the same value from it.
 */
function createPayloadReader(
  { 'content-type': type, 'content-encoding': encoding }: IncomingHttpHeaders,
  bytes: Buffer,
) {
  // The second check uses the same parsed body and, with the same schema, the same errors.
  let body: { readonly payload: Buffer; readonly text: string; readonly value: unknown } | undefined
  let validated: { readonly schema: SubmitTarget['schema']; readonly errors: ProblemDetail[] } | undefined
  const read = () => {
    const payload = withoutByteOrderMark(bytes)
    const text = readBodyText(type, encoding, payload)
    return { payload, text, value: parseBody(text) }
  }

  return async ({ schema, projectId }: SubmitTarget): Promise<Buffer> => {
    if (bytes.length > maxPayloadBytes)
      throw new ApiError('PAYLOAD_TOO_LARGE', { detail: tooLongFor(maxPayloadBytes), projectId })
    body ??= read()
    const { payload, text, value } = body
    if (validated?.schema !== schema) validated = { schema, errors: await schema.validate(value, text) }
    if (validated.errors.length > 0)
      throw new ApiError('PAYLOAD_INVALID', { errors: validated.errors, projectId })
    return payload
  }
}

/** Removes a byte order mark, which RFC 8259 §8.1 permits. The signature covers the bytes with it. */
const withoutByteOrderMark = (bytes: Buffer) =>
  bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes

/** Returns the response as JSON text, or throws the rejection. */
function answer(outcome: Exclude<Outcome, 'stale'>, projectId: string): string {
  if (outcome === 'replayed') throw new ApiError('SIGNATURE_REPLAYED', { reason: 'replayed', projectId })
  if (outcome === 'key_reused') throw new ApiError('IDEMPOTENCY_KEY_REUSED', { projectId })
  return `{"id":"${outcome.id}","receivedAt":"${new Date(outcome.receivedAtMs).toISOString()}"}`
}
