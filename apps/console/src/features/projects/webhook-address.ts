import type { InboundWebhook } from '@rolecall/sdk/admin'

/** Returns the address for submissions. Its ID stays the same if the name or slug changes. */
export const webhookAddress = ({ id }: Pick<InboundWebhook, 'id'>): string =>
  `${location.origin}/api/inbound-webhooks/${id}/submit`
