import type { RESTPostAPIWebhookWithTokenJSONBody } from 'discord-api-types/v10'
import type { ChatMessage } from '../../chat-webhook.ts'

// The maximum lengths. Discord accepts 256, 4096, and 2048 characters, and 6000 in total. Escaping at most doubles the
// length of a text.
const maxTitle = 128
const maxText = 1_000
const maxFooter = 200

const colors: Record<ChatMessage['tone'], number> = {
  good: 0x1f8b4c,
  neutral: 0x206694,
  warning: 0xe67e22,
}

/** Converts a message to the form of Discord: one embed, without mentions. */
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
      // Not escaped, because Discord interprets no markup in a footer.
      footer: { text: cut(footer, maxFooter) },
    },
  ],
  allowed_mentions: { parse: [] },
})

/** Escapes markup, so that names, which other people have chosen, cannot contain links, mentions, or formatting. */
const escaped = (text: string) => text.replace(/[\\`*~|<>[\]()]|(?<=:)\//g, '\\$&')

/** Truncates text without splitting a character. It counts UTF-16 units, and Discord never counts more. */
function cut(text: string, most: number): string {
  if (text.length <= most) return text
  return `${text.slice(0, most - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
}
