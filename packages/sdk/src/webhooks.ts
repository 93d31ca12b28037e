import type { Endpoints, InboundWebhook, NewInboundWebhook, Submission } from './contract-types.ts'
import { itemsOf } from './pages.ts'
import { required, requiredText } from './required.ts'
import { sign } from './sign.ts'
import { asMember, type CallOptions, type Transport } from './transport.ts'

/** Taken by `webhooks.submit()`. */
export interface SubmitOptions extends CallOptions {
  /** Signs the payload: the webhook’s secret, the whole string. Needed where the webhook asks for signatures. */
  readonly secret?: string
  /** The same key again gets the first answer and stores nothing. With one, a submission that failed is sent again. */
  readonly idempotencyKey?: string
  /** For webhooks that accept certain origins only. */
  readonly origin?: string
}

/** Taken by `webhooks.submissions()`. */
export interface SubmissionsOptions extends CallOptions {
  readonly dateFrom?: string
  readonly dateTo?: string
  /** Submissions that are asked for at a time, 1 to 500. Default 100. */
  readonly pageSize?: number
}

/** A webhook to be made: its name and the JSON Schema of what it takes. */
export type CreateWebhook = Endpoints['createOwnWebhook']['body']
/** What is to be changed; what is left out stays. */
export type UpdateWebhook = Endpoints['updateOwnWebhook']['body']
/** The id of what was taken, and when. */
export type Receipt = Endpoints['submit']['answer']

export type Webhooks = ReturnType<typeof createWebhooks>

/** The inbound webhooks of a project. A webhook is named by its id or its slug. */
export function createWebhooks(send: Transport, headers: Record<string, string>) {
  return {
    /** Signs a body: the value of the header `X-SVC-Signature`. `submit()` does it by itself. */
    sign,

    /**
     * Submits a payload, which must fit the schema of the webhook. Refused with `PAYLOAD_INVALID` (`errors` names
     * everything that does not fit), `SIGNATURE_INVALID`, `ORIGIN_NOT_ALLOWED`, `WEBHOOK_INACTIVE`.
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

    /** The webhooks of this project, newest first. */
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

    /** Makes a webhook. Its `secret` is in this answer and nowhere else. */
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

    /** One webhook. Refused with `WEBHOOK_NOT_FOUND`. */
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

    /** Changes a webhook; the next submission already meets what was changed. */
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

    /** Deletes a webhook and what was submitted to it. */
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

    /** Replaces the signing secret, and answers the new one; the old one stops working at once. */
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

    /** What was submitted, newest first, for a member who may read it: refused with `ROLE_REQUIRED`. */
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
