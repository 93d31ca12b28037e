import type { InboundWebhook } from '@rolecall/sdk/admin'

/** Where its submissions are sent to; its id stays when its name and slug change. */
export const webhookAddress = ({ id }: Pick<InboundWebhook, 'id'>): string =>
  `${location.origin}/api/inbound-webhooks/${id}/submit`
