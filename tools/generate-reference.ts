import { type EndpointDefinition, endpoints, grants, operationIdOf } from '@rolecall/contract'
import { type Variable, variables } from '../apps/api/src/config.ts'
import { describeContract, type EndpointPage } from '../apps/api/src/features/docs/describe-endpoint.ts'
import { describeErrors, type ErrorCase } from '../apps/api/src/features/docs/describe-errors.ts'
import { endpointText } from './generate-endpoint.ts'
import { readmeFigures } from './generate-figures.ts'
import { generated, table } from './pages.ts'

const exampleUrl = 'https://rolecall.example'

/** Returns `docs/reference/api.md`, which has a row for each endpoint. Other pages link to the rows. */
export function apiIndex(): string {
  const chapters = describeContract(exampleUrl)
  return `${generated}
# API

${endpoints.length} endpoints, each under its name in the OpenAPI document. Bodies are JSON, and unknown keys are rejected. Every refusal is
\`application/problem+json\` with a stable \`code\`: [errors](errors.md). [Grants](grants.md) lists the access that each endpoint needs.

For the fields, responses, and errors of an endpoint, with a request to copy, open \`/api/docs\` of a running service (with
\`npm start\`: <http://localhost:3000/api/docs>). \`npx rolecall openapi\` prints the OpenAPI document, and \`npm run docs\` writes the whole
reference as one page, \`docs/dist/api.md\`.
${chapters.map(({ tag, endpoints: list }) => `\n## ${tag}\n\n${indexTable(list)}`).join('')}`
}

/** Returns the rows. The names are anchors, as in the whole reference and on the pages of the service. */
const indexTable = (list: readonly EndpointPage[]): string =>
  table(
    ['Name', 'Request', 'What it does'],
    list.map(({ id, method, path, summary }) => [
      `<a id="${headingAnchor(id)}"></a>\`${id}\``,
      `\`${method} ${path}\``,
      summary,
    ]),
  )

/** Returns `docs/dist/api.md`, which describes every endpoint of the contract completely. It is not committed. */
export function apiReference(): string {
  const chapters = describeContract(exampleUrl)
  return `${generated}
# API

The same reference as at \`/api/docs\` of a running service. ${endpoints.length} endpoints, each under its name in the OpenAPI document.
Bodies are JSON, and unknown keys are rejected. Every refusal is \`application/problem+json\` with a stable \`code\`:
[errors](../reference/errors.md). [Grants](../reference/grants.md) lists the access that each endpoint needs.

${chapters.map(({ tag, endpoints: list }) => `- ${tag}: ${list.map(({ id }) => `[\`${id}\`](#${headingAnchor(id)})`).join(', ')}`).join('\n')}
${chapters.map(({ tag, endpoints: list }, index) => `\n## ${index + 1}. ${tag}\n${list.map(endpointSection).join('')}`).join('')}`
}

/** Returns the anchor that GitHub makes of a heading of one word. Chapters have numbers, so that they never collide. */
const headingAnchor = (operationId: string) => operationId.toLowerCase()

const endpointSection = (one: EndpointPage): string =>
  `\n### ${one.id}\n\n${endpointText(one, leadOf(one), '../reference/errors.md')}`

const leadOf = ({ summary, description }: EndpointPage) =>
  `${summary}.${description === undefined ? '' : ` ${description}`}`

/** Returns `docs/reference/errors.md`: every code, with the endpoints that respond with it. */
export const errorReference = (): string => `${generated}
# Errors

Every refusal is an RFC 9457 problem, \`application/problem+json\`: \`type\`, \`title\`, \`status\`, \`detail\`, \`code\`,
\`requestId\`, and \`errors\` (\`path\`, \`message\`, \`code\`) where a request has several faults. \`title\` is the first sentence
below: what is wrong. \`detail\` says more of it where there is more, and ends with the second: what to do about it. Codes are
stable: switch on them, not on texts.
${describeErrors()
  .map(({ code, cases }) => `\n## ${code}\n${cases.map(caseSection).join('')}`)
  .join('')}`

const caseSection = ({ status, title, mend, endpoints: where }: ErrorCase): string =>
  `\n**${status}** ${title} ${escapeTags(mend)}\n\n${answeredBy(where)}\n`.replace(/ \n/g, '\n')

/** Keeps `<name>` a text: Markdown would take it for an element. */
const escapeTags = (text: string): string => text.replaceAll('<', '\\<')

/** Longer lists are folded, because codes of nearly all endpoints say little. */
const maxOpen = 6

function answeredBy(where: ErrorCase['endpoints']): string {
  if (where.length === 0) return 'Any request may meet it.'
  if (where.length === endpoints.length) return 'Every endpoint may answer it.'
  const links = where.map(({ id, name }) => `[\`${name}\`](api.md#${headingAnchor(id)})`)
  if (links.length <= maxOpen) return `Answered by ${links.join(', ')}.`
  const list = links.map((link) => `- ${link}\n`).join('')
  return `<details>\n<summary>Answered by ${links.length} endpoints</summary>\n\n${list}\n</details>`
}

/** Returns `docs/reference/grants.md`: the grants of a System Admin to a project, and the endpoints that need them. */
export const grantReference = (): string => `${generated}
# What a project may do in a server

A System Admin grants it to a project for each server, as \`operations\` and \`scopes\`:
[\`setAccess\`](api.md#setaccess). Who lacks one is refused with [\`SCOPE_REQUIRED\`](errors.md#scope_required),
[\`OPERATION_REQUIRED\`](errors.md#operation_required) or, at a login, [\`SERVER_NOT_ACCESSIBLE\`](errors.md#server_not_accessible).

${table(
  ['Grant', 'Kind', 'What it is for', 'Asked for by'],
  Object.entries(grants).map(([name, { kind, meaning }]) => [
    `\`${name}\``,
    kind,
    meaning,
    endpointsThatNeed(name).join(', '),
  ]),
)}
Everything else that a project asks by its key takes the key alone: sessions and roles of who has logged in, events, submitting to an
inbound webhook.`

const endpointsThatNeed = (name: string) =>
  endpoints
    .filter(({ needs }: EndpointDefinition) => needs === name)
    .map((one) => `[\`${operationIdOf(one)}\`](api.md#${headingAnchor(operationIdOf(one))})`)

const allVariables: readonly Variable[] = Object.values(variables)

/** Returns `docs/reference/configuration.md`: every environment variable. */
export function configurationReference(): string {
  const groups = [...new Set(allVariables.map(({ group }) => group))]
  return `${generated}
# Configuration

Everything is read from the environment, and from a \`.env\` file in the working folder (the environment wins). All
problems are reported at once, one line each, and never with a value. With \`NODE_ENV=production\` they end the start;
otherwise they are warnings. A \`NODE_ENV\` that is none of \`development\`, \`test\`, \`production\` is taken as production.

A secret may also be given as a file: \`NAME_FILE\` names it, as in \`CHAT_BOT_TOKEN_FILE=/run/secrets/bot-token\`. One line break
at its end is left out. It is read at the start; to name both is a problem.
${groups.map((group) => `\n## ${group}\n\n${variableTable(allVariables.filter((one) => one.group === group))}`).join('')}`
}

const variableTable = (list: readonly Variable[]): string =>
  table(
    ['Variable', 'Default', 'In production', 'Secret', 'Meaning'],
    list.map((one) => [
      `\`${one.name}\``,
      defaultOf(one),
      one.required ? 'required' : '',
      one.secret ? `yes, or \`${one.name}_FILE\`` : '',
      one.meaning,
    ]),
  )

const defaultOf = ({ default: preset }: Variable) => (preset ? `\`${preset}\`` : '')

/** Returns the README with a new table of figures. */
export const withGenerated = (readme: string): string => between(readme, 'figures', readmeFigures())

function between(text: string, name: string, content: string): string {
  const begin = `<!-- ${name} -->\n`
  const end = `<!-- /${name} -->`
  const [before, rest] = split(text, begin)
  const [, after] = split(rest, end)
  return `${before}${begin}\n${content}\n${end}${after}`
}

function split(text: string, marker: string): [string, string] {
  const at = text.indexOf(marker)
  if (at < 0) throw new Error(`README.md has no ${marker.trim()}`)
  return [text.slice(0, at), text.slice(at + marker.length)]
}
