import type { RESTPostAPIWebhookWithTokenJSONBody } from 'discord-api-types/v10'

/** A message that a webhook has accepted. */
export interface InboxMessage {
  id: string
  webhookId: string
  at: number
  body: RESTPostAPIWebhookWithTokenJSONBody
}

/** Creates the store of messages that webhooks have accepted. Tests read it. Keeps only the latest `keep` messages. */
export function createInbox(keep = 1_000) {
  const messages: InboxMessage[] = []
  return {
    add(message: InboxMessage) {
      messages.push(message)
      if (messages.length > keep) messages.shift()
    },
    messages: (webhookId?: string): InboxMessage[] =>
      messages.filter((message) => webhookId === undefined || message.webhookId === webhookId),
    clear: () => {
      messages.length = 0
    },
  }
}
