import type { APIEmbed, RESTPostAPIWebhookWithTokenJSONBody } from 'discord-api-types/v10'

interface ErrorTree {
  [field: string]: ErrorTree | { _errors: { code: string; message: string }[] }
}

const tooLong = (max: number) => ({
  _errors: [{ code: 'BASE_TYPE_MAX_LENGTH', message: `Must be ${max} or fewer in length.` }],
})
const wrongType = { _errors: [{ code: 'BASE_TYPE_INVALID', message: 'Value is of the wrong type.' }] }

/** The platform counts characters as people do, not UTF-16 units. */
const length = (text: unknown): number => (typeof text === 'string' ? [...text].length : 0)

/** Everything that is wrong with a message, in the platform's tree of field names. */
export function messageProblems(message: RESTPostAPIWebhookWithTokenJSONBody): ErrorTree {
  const problems: ErrorTree = {}
  const { content, username, embeds } = message
  if (content != null && typeof content !== 'string') problems['content'] = wrongType
  if (length(content) > 2_000) problems['content'] = tooLong(2_000)
  if (username != null && (length(username) < 1 || length(username) > 80)) problems['username'] = tooLong(80)
  if (embeds == null) return problems
  if (!Array.isArray(embeds)) return { ...problems, embeds: wrongType }
  if (embeds.length > 10) problems['embeds'] = tooLong(10)

  const each: ErrorTree = {}
  embeds.forEach((embed, index) => {
    const found = embedProblems(embed)
    if (Object.keys(found).length > 0) each[index] = found
  })
  if (Object.keys(each).length > 0) problems['embeds'] = each
  if (embeds.reduce((sum, embed) => sum + embedLength(embed), 0) > 6_000) {
    const message = 'Embed size exceeds maximum size of 6000'
    problems['embeds'] = { _errors: [{ code: 'MAX_EMBED_SIZE_EXCEEDED', message }] }
  }
  return problems
}

function embedProblems(embed: APIEmbed): ErrorTree {
  const problems: ErrorTree = {}
  if (length(embed.title) > 256) problems['title'] = tooLong(256)
  if (length(embed.description) > 4_096) problems['description'] = tooLong(4_096)
  if (length(embed.footer?.text) > 2_048) problems['footer'] = { text: tooLong(2_048) }
  if (length(embed.author?.name) > 256) problems['author'] = { name: tooLong(256) }
  const { color, timestamp, fields = [] } = embed
  if (color !== undefined && !(Number.isInteger(color) && color >= 0 && color <= 0xffffff))
    problems['color'] = wrongType
  if (timestamp !== undefined && Number.isNaN(Date.parse(timestamp))) problems['timestamp'] = wrongType
  if (fields.length > 25) problems['fields'] = tooLong(25)
  fields.forEach((field, index) => {
    const where = `${index}`
    if (!field.name || length(field.name) > 256) problems['fields'] = { [where]: { name: tooLong(256) } }
    else if (!field.value || length(field.value) > 1_024)
      problems['fields'] = { [where]: { value: tooLong(1_024) } }
  })
  return problems
}

const embedLength = ({ title, description, footer, author, fields = [] }: APIEmbed): number =>
  [title, description, footer?.text, author?.name, ...fields.flatMap((field) => [field.name, field.value])]
    .map(length)
    .reduce((a, b) => a + b, 0)
