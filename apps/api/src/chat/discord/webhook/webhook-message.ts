import type { RESTPostAPIWebhookWithTokenJSONBody } from 'discord-api-types/v10'
import type { ChatMessage } from '../../chat-webhook.ts'

// The platform accepts 256, 4096 and 2048, and 6000 in all. Escaping at most doubles a text.
const maxTitle = 128
const maxText = 1_000
const maxFooter = 200

const colors: Record<ChatMessage['tone'], number> = {
  good: 0x1f8b4c,
  neutral: 0x206694,
  warning: 0xe67e22,
}

/** Translates a message for the platform: one embed, no mention. */
export const toEmbed = ({
  title,
  text,
  footer,
  at,
  tone,
}: ChatMessage): RESTPostAPIWebhookWithTokenJSONBody => ({
  embeds: [
    {
      title: escaped(cut(title, maxTitle)),
      description: escaped(cut(text, maxText)),
      color: colors[tone],
      timestamp: at.toISOString(),
      // Not escaped: the platform reads no markup in a footer.
      footer: { text: cut(footer, maxFooter) },
    },
  ],
  allowed_mentions: { parse: [] },
})

/** Escapes names, which come from other people, so that they show no link, mention or format. */
const escaped = (text: string) => text.replace(/[\\`*~|<>[\]()]|(?<=:)\//g, '\\$&')

/** Truncates in UTF-16 units, which are never fewer than the platform counts, and never splits a character. */
function cut(text: string, most: number): string {
  if (text.length <= most) return text
  return `${text.slice(0, most - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
}
