import type { Endpoints, InboundWebhook, NewInboundWebhook, Submission } from './contract-types.ts'
import { itemsOf } from './pages.ts'
import { required, requiredText } from './required.ts'
import { sign } from './sign.ts'
import { asMember, type CallOptions, type Transport } from './transport.ts'

/** Options of `webhooks.submit()`. */
export interface SubmitOptions extends CallOptions {
  /** The webhook's signing secret, including its prefix `whsec_`. Required if the webhook demands signatures. */
  readonly secret?: string
  /**
   * Makes the submission safe to repeat: a second submission with the same key stores nothing, and returns the first
   * result. With a key, the client retries after a failure.
   */
  readonly idempotencyKey?: string
  /** The value of the `Origin` header, for webhooks that accept only certain origins. */
  readonly origin?: string
}

/** Options of `webhooks.submissions()`. */
export interface SubmissionsOptions extends CallOptions {
  /** The earliest time: an ISO 8601 date or time. */
  readonly dateFrom?: string
  /** The latest time, inclusive: an ISO 8601 date or time. A date includes the whole day in UTC. */
  readonly dateTo?: string
  /** Submissions per request, 1 to 500. Default 100. */
  readonly pageSize?: number
}

/** A new webhook: its name, and the JSON Schema of its payloads. */
export type CreateWebhook = Endpoints['createOwnWebhook']['body']
/** The fields to change. Omitted fields keep their values. */
export type UpdateWebhook = Endpoints['updateOwnWebhook']['body']
/** The receipt of an accepted submission: its ID, and the time of acceptance. */
export type Receipt = Endpoints['submit']['answer']

/** The calls about a project's inbound webhooks, as `rolecall.webhooks`. */
export type Webhooks = ReturnType<typeof createWebhooks>

/** Creates the calls about a project's inbound webhooks. The argument `webhook` is the ID or the slug of a webhook. */
export function createWebhooks(send: Transport, headers: Record<string, string>) {
  return {
    /**
     * Signs a body, and returns the value for the header `X-SVC-Signature`. `submit()` does this if it has a `secret`.
     */
    sign,

    /**
     * Submits a payload, which must match the schema of the webhook. Rejects with `PAYLOAD_INVALID` (`errors` lists
     * every mismatch), `SIGNATURE_INVALID`, `ORIGIN_NOT_ALLOWED`, `WEBHOOK_INACTIVE`, or `WEBHOOK_NOT_FOUND`.
     *
     * @example
     * await rolecall.webhooks.submit('contact', { name: 'Zoë' }, { secret, idempotencyKey: crypto.randomUUID() })
     */
    async submit(
      webhook: string,
      payload: unknown,
      { secret, idempotencyKey, origin, ...options }: SubmitOptions = {},
    ): Promise<Receipt> {
      requiredText({ webhook })
      const body = JSON.stringify(payload)
      required({ payload: body })
      return send<Endpoints['submit']>({
        method: 'POST',
        path: '/api/inbound-webhooks/{id}/submit',
        params: { id: webhook },
        text: body,
        headers: {
          ...headers,
          ...(secret !== undefined && { 'x-svc-signature': await sign({ body, secret }) }),
          ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
          ...(origin !== undefined && { origin }),
        },
        isRepeatable: idempotencyKey !== undefined,
        ...options,
      })
    },

    /** Returns the webhooks of this project, newest first. */
    async list(options?: CallOptions): Promise<readonly InboundWebhook[]> {
      const { data } = await send<Endpoints['listOwnWebhooks']>({
        method: 'GET',
        path: '/api/inbound-webhooks',
        headers,
        isRepeatable: true,
        ...options,
      })
      return data
    },

    /** Creates a webhook. Only this response contains its `secret`. */
    async create(webhook: CreateWebhook, options?: CallOptions): Promise<NewInboundWebhook> {
      required({ name: webhook.name, schema: webhook.schema })
      return send<Endpoints['createOwnWebhook']>({
        method: 'POST',
        path: '/api/inbound-webhooks',
        body: webhook,
        headers,
        ...options,
      })
    },

    /** Returns one webhook. Rejects with `WEBHOOK_NOT_FOUND`. */
    async get(webhook: string, options?: CallOptions): Promise<InboundWebhook> {
      requiredText({ webhook })
      return send<Endpoints['getOwnWebhook']>({
        method: 'GET',
        path: '/api/inbound-webhooks/{id}',
        params: { id: webhook },
        headers,
        isRepeatable: true,
        ...options,
      })
    },

    /** Changes a webhook. The change applies to the next submission. */
    async update(webhook: string, changes: UpdateWebhook, options?: CallOptions): Promise<InboundWebhook> {
      requiredText({ webhook })
      return send<Endpoints['updateOwnWebhook']>({
        method: 'PATCH',
        path: '/api/inbound-webhooks/{id}',
        params: { id: webhook },
        body: changes,
        headers,
        ...options,
      })
    },

    /** Deletes a webhook and its submissions. */
    async delete(webhook: string, options?: CallOptions): Promise<void> {
      requiredText({ webhook })
      await send<Endpoints['deleteOwnWebhook']>({
        method: 'DELETE',
        path: '/api/inbound-webhooks/{id}',
        params: { id: webhook },
        headers,
        ...options,
      })
    },

    /** Replaces the signing secret, and returns the new one. The old secret is invalid immediately. */
    async rotateSecret(webhook: string, options?: CallOptions): Promise<string> {
      requiredText({ webhook })
      const { secret } = await send<Endpoints['rotateOwnSecret']>({
        method: 'POST',
        path: '/api/inbound-webhooks/{id}/rotate-secret',
        params: { id: webhook },
        headers,
        ...options,
      })
      return secret
    },

    /**
     * Iterates over the submissions, newest first. `token` is the session token of a member who may read them. Rejects
     * with `ROLE_REQUIRED` for any other member.
     */
    submissions(token: string, webhook: string, options: SubmissionsOptions = {}) {
      requiredText({ token, webhook })
      const { dateFrom, dateTo, pageSize = 100, ...call } = options
      const period = { ...(dateFrom !== undefined && { dateFrom }), ...(dateTo !== undefined && { dateTo }) }
      return itemsOf<Submission>((from) =>
        send<Endpoints['readSubmissions']>({
          method: 'GET',
          path: '/api/inbound-webhooks/{id}/submissions',
          params: { id: webhook },
          query: { limit: pageSize, ...period, ...from },
          headers: asMember(token),
          isRepeatable: true,
          ...call,
        }),
      )
    },
  }
}
