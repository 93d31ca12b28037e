import type { APIEmbed, RESTPostAPIWebhookWithTokenJSONBody } from 'discord-api-types/v10'

interface ErrorTree {
  [field: string]: ErrorTree | { _errors: { code: string; message: string }[] }
}

const note = (tree: ErrorTree, field: string, problem: ErrorTree[string]): void => {
  tree[field] = problem
}

const tooLong = (max: number) => ({
  _errors: [{ code: 'BASE_TYPE_MAX_LENGTH', message: `Must be ${max} or fewer in length.` }],
})
const wrongType = { _errors: [{ code: 'BASE_TYPE_INVALID', message: 'Value is of the wrong type.' }] }

/** Returns the length of a text in code points. The platform counts these, and not UTF-16 units. */
const length = (text: unknown): number => (typeof text === 'string' ? [...text].length : 0)

/** Returns all problems of a message, as a tree of field names like in the platform's errors. */
export function messageProblems(message: RESTPostAPIWebhookWithTokenJSONBody): ErrorTree {
  const problems: ErrorTree = {}
  const { content, username, embeds } = message
  if (content != null && typeof content !== 'string') note(problems, 'content', wrongType)
  if (length(content) > 2_000) note(problems, 'content', tooLong(2_000))
  if (username != null && (length(username) < 1 || length(username) > 80))
    note(problems, 'username', tooLong(80))
  if (embeds == null) return problems
  if (!isEmbeds(embeds)) return { ...problems, embeds: wrongType }
  if (embeds.length > 10) note(problems, 'embeds', tooLong(10))

  const each: ErrorTree = {}
  embeds.forEach((embed, index) => {
    const found = embedProblems(embed)
    if (Object.keys(found).length > 0) each[index] = found
  })
  if (Object.keys(each).length > 0) note(problems, 'embeds', each)
  if (embeds.reduce((sum, embed) => sum + embedLength(embed), 0) > 6_000) {
    const message = 'Embed size exceeds maximum size of 6000'
    note(problems, 'embeds', { _errors: [{ code: 'MAX_EMBED_SIZE_EXCEEDED', message }] })
  }
  return problems
}

function embedProblems(embed: APIEmbed): ErrorTree {
  const problems: ErrorTree = {}
  if (length(embed.title) > 256) note(problems, 'title', tooLong(256))
  if (length(embed.description) > 4_096) note(problems, 'description', tooLong(4_096))
  if (length(embed.footer?.text) > 2_048) note(problems, 'footer', { text: tooLong(2_048) })
  if (length(embed.author?.name) > 256) note(problems, 'author', { name: tooLong(256) })
  const { color, timestamp, fields = [] } = embed
  if (color !== undefined && !(Number.isInteger(color) && color >= 0 && color <= 0xffffff))
    note(problems, 'color', wrongType)
  if (timestamp !== undefined && Number.isNaN(Date.parse(timestamp))) note(problems, 'timestamp', wrongType)
  if (fields.length > 25) note(problems, 'fields', tooLong(25))
  const each: ErrorTree = {}
  fields.forEach(({ name, value }, index) => {
    if (!name || length(name) > 256) note(each, `${index}`, { name: tooLong(256) })
    else if (!value || length(value) > 1_024) note(each, `${index}`, { value: tooLong(1_024) })
  })
  if (Object.keys(each).length > 0) note(problems, 'fields', each)
  return problems
}

/** Returns true if a value has the shape on which the limits can be checked. The JSON may contain anything. */
const isEmbeds = (embeds: unknown): embeds is APIEmbed[] =>
  Array.isArray(embeds) && embeds.every((embed) => isObject(embed) && isFields(embed))
const isFields = ({ fields }: { fields?: unknown }) =>
  fields === undefined || (Array.isArray(fields) && fields.every(isObject))
const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

const embedLength = ({ title, description, footer, author, fields = [] }: APIEmbed): number =>
  [title, description, footer?.text, author?.name, ...fields.flatMap((field) => [field.name, field.value])]
    .map(length)
    .reduce((a, b) => a + b, 0)
