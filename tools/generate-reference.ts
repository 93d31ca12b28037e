import { posix } from 'node:path'
import { type EndpointDefinition, endpoints, errors, grants, operationIdOf } from '@rolecall/contract'
import { type Variable, variables } from '../apps/api/src/config.ts'
import { describeContract, type EndpointPage } from '../apps/api/src/features/docs/describe-endpoint.ts'
import {
  type Accepted,
  areaTitles,
  describeErrors,
  type ErrorCase,
  type ErrorPage,
  type ErrorPlaces,
  exampleProblem,
  type Fix,
  type Guide,
  type ReturningEndpoint,
} from '../apps/api/src/features/docs/describe-errors.ts'
import { endpointText } from './generate-endpoint.ts'
import { readmeFigures } from './generate-figures.ts'
import { markCode } from './mark-code.ts'
import { generated, table } from './pages.ts'

const exampleUrl = 'https://rolecall.example'

/** Returns `docs/reference/api.md`, which has a row for each endpoint. Other pages link to the rows. */
export function apiIndex(): string {
  const chapters = describeContract(exampleUrl)
  return `${generated}
# API

${endpoints.length} endpoints, each under its name in the OpenAPI document. Bodies are JSON, and unknown keys are rejected. Every error is
\`application/problem+json\` with a stable \`code\`: [errors](errors.md). [Grants](grants.md) lists the access that each endpoint needs.

For the fields, responses, and errors of an endpoint, with a request to copy, open \`/api/docs\` of a running service (with
\`npm start\`: <http://localhost:3000/api/docs>). \`npx rolecall openapi\` prints the OpenAPI document, and \`npm run docs\` writes the whole
reference as one page, \`docs/dist/api.md\`.
${chapters.map(({ tag, endpoints: list }) => `\n## ${tag}\n\n${indexTable(list)}`).join('')}`
}

/** Returns the rows of endpoints. Their names are anchors, as in the complete reference and on the service's pages. */
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
Bodies are JSON, and unknown keys are rejected. Every error is \`application/problem+json\` with a stable \`code\`:
[errors](../reference/errors.md). [Grants](../reference/grants.md) lists the access that each endpoint needs.

${chapters.map(({ tag, endpoints: list }) => `- ${tag}: ${list.map(({ id }) => `[\`${id}\`](#${headingAnchor(id)})`).join(', ')}`).join('\n')}
${chapters.map(({ tag, endpoints: list }, index) => `\n## ${index + 1}. ${tag}\n${list.map(endpointSection).join('')}`).join('')}`
}

/**
 * Returns the anchor that GitHub gives a heading of one word. Chapters have numbers, so they never have the same
 * anchor.
 */
const headingAnchor = (operationId: string) => operationId.toLowerCase()

const endpointSection = (one: EndpointPage): string =>
  `\n### ${one.id}\n\n${endpointText(one, leadOf(one), '../reference/errors.md')}`

const leadOf = ({ summary, description }: EndpointPage) =>
  `${summary}.${description === undefined ? '' : ` ${description}`}`

/** Returns `docs/reference/errors.md`, which describes every error code and lists the endpoints that return it. */
export const errorReference = (): string => `${generated}
# Errors

Every error response of the API is an RFC 9457 problem, \`application/problem+json\`:

\`\`\`json
${exampleProblem}
\`\`\`

| Field | Content |
| --- | --- |
| \`code\` | the name of the error. Stable: check it in your program, not \`title\` or \`detail\` |
| \`status\` | the HTTP status |
| \`title\` | the problem |
| \`detail\` | what happened in this case, if known, and the fix |
| \`errors\` | the invalid fields, each with \`path\`, \`message\`, and \`code\`. \`path\` is a JSON Pointer into the body (\`/forwardAuth/hosts/0\`), or \`/\` and the name of a parameter or a header (\`/Idempotency-Key\`) |
| \`more\` | the number of further invalid fields, if \`errors\` is cut off |
| \`type\` | the URL of this error's entry in the service's documentation |
| \`requestId\` | the ID of the request, which the operator can search for in the log |

Find the \`code\` of your response in the tables below. Each entry has the status, the problem, and the fix. *Retry* says when the same call can
succeed, if the fix does not say it. An administrator is a System Admin or, for their own project, an owner. The operator runs the service.

OpenID Connect endpoints return \`error\` and \`error_description\` instead: see
[OpenID Connect](../guides/openid-connect.md#troubleshooting). [Handle errors in your app](../guides/errors.md) explains the errors of the
client libraries and of the sign-in in your app.

## All codes

${errorIndex(describeErrors())}${describeErrors()
  .map(({ code, cases }) => `\n## ${code}\n${cases.map(caseSection).join('')}`)
  .join('')}`

/** Returns the tables at the top of the page, one for each task, in which a reader finds a code. */
const errorIndex = (pages: readonly ErrorPage[]): string =>
  Object.values(areaTitles)
    .map((area) => {
      const rows = pages.flatMap(({ code, cases }) =>
        cases
          .filter((one) => one.area === area)
          .map(({ status, title, retry }) => [codeLink(code), String(status), marked(title), retry]),
      )
      return `### ${area}\n\n${table(['Code', 'Status', 'Problem', 'Retry'], rows)}`
    })
    .join('\n')

const codeLink = (code: string) => `[\`${code}\`](#${headingAnchor(code)})`

const caseSection = ({ status, title, see, guides, where, ...one }: ErrorCase): string =>
  [
    `\n**${status}** ${marked(title)}`,
    fixText(one.fix),
    ...(one.when === undefined ? [] : [`**When:** ${marked(one.when)}`]),
    ...(one.note === undefined ? [] : [`**Note:** ${marked(one.note)}`]),
    ...(one.accepted.length > 0 ? [`**Accepted:**\n\n${one.accepted.map(acceptedBy).join('\n')}`] : []),
    ...(one.retryAdvice === undefined ? [] : [`**Retry:** ${one.retryAdvice}`]),
    ...(guides.length > 0 ? [`**Guide:** ${guides.map(guideLink).join(', ')}`] : []),
    ...(see.length > 0 ? [`**See also:** ${see.map(codeLink).join(', ')}`] : []),
    `${returnedBy(where)}\n`,
  ].join('\n\n')

function fixText({ lead, items, isOrdered }: Fix): string {
  const list = items.map((item, at) => `${isOrdered ? `${at + 1}.` : '-'} ${marked(item)}`)
  return [`**Fix:** ${marked(lead)}`, ...(list.length > 0 ? [list.join('\n')] : [])].join('\n\n')
}

const acceptedBy = ({ value, by }: Accepted) =>
  `- ${value}${by.length > 0 ? `: ${endpointLinks(by)}` : ', unless listed below'}`

const guideLink = ({ title, path }: Guide) => `[${title}](${posix.relative('reference', path)})`

/** The rows of `api.md` by method and path. Parameters in the path are unified, because texts name them differently. */
const rowOf = new Map(endpoints.map((one) => [shapeOf(`${one.method} ${one.path}`), operationIdOf(one)]))

function shapeOf(request: string): string {
  return request.replaceAll(/\{\w+\}/g, '{}')
}

/**
 * Formats the names in a sentence of an error as code, and links endpoints to their rows and codes to their entries.
 */
const marked = (text: string): string =>
  markCode(text, (request) => {
    if (request in errors) return `#${headingAnchor(request)}`
    const id = rowOf.get(shapeOf(request))
    return id === undefined ? undefined : `api.md#${headingAnchor(id)}`
  })

/** The maximum length of a list of endpoints that is not folded. Long lists say little to the reader of a code. */
const maxOpen = 6

const endpointLinks = (list: readonly ReturningEndpoint[]) =>
  list
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ id, name }) => `[\`${name}\`](api.md#${headingAnchor(id)})`)
    .join(', ')

function returnedBy({ all, except, others }: ErrorPlaces): string {
  if (all !== undefined) {
    const exceptions = except.length > 0 ? ` except ${endpointLinks(except)}` : ''
    const more = others.length > 0 ? ` So can ${endpointLinks(others)}.` : ''
    return `${all}${exceptions} can return this error.${more}`
  }
  if (others.length <= maxOpen) return `Returned by ${endpointLinks(others)}.`
  return `<details>\n<summary>Returned by ${others.length} endpoints</summary>\n\n${endpointLinks(others)}\n\n</details>`
}

/** Returns `docs/reference/grants.md`, which lists the grants to a project, and the endpoints that need each grant. */
export const grantReference = (): string => `${generated}
# What a project may do in a server

A System Admin grants operations and scopes to a project for each server, on the console's **Access** page or with
[\`PUT /api/admin/projects/{projectId}/servers/{serverId}\`](api.md#setaccess).
A project without a grant receives [\`SCOPE_REQUIRED\`](errors.md#scope_required) or
[\`OPERATION_REQUIRED\`](errors.md#operation_required), and at a sign-in [\`SERVER_NOT_ACCESSIBLE\`](errors.md#server_not_accessible).

${table(
  ['Grant', 'Kind', 'Purpose', 'Required by'],
  Object.entries(grants).map(([name, { kind, meaning }]) => [
    `\`${name}\``,
    kind,
    meaning,
    endpointsThatNeed(name).join(', '),
  ]),
)}
All other requests of a project need only its API key: sessions and roles of signed-in members, events, and submissions to an inbound
webhook.
`

const endpointsThatNeed = (name: string) =>
  endpoints
    .filter(({ needs }: EndpointDefinition) => needs === name)
    .map((one) => `[\`${one.method} ${one.path}\`](api.md#${headingAnchor(operationIdOf(one))})`)

const allVariables: readonly Variable[] = Object.values(variables)

/** Returns `docs/reference/configuration.md`, which describes every environment variable. */
export function configurationReference(): string {
  const groups = [...new Set(allVariables.map(({ group }) => group))]
  return `${generated}
# Configuration

The service reads these variables from the environment, and from a \`.env\` file in the working folder. If both set a variable, the
environment counts.

At startup, the service reports all problems together, one line each, and never prints a value. With \`NODE_ENV=production\`, a problem
prevents the start. Otherwise, problems are warnings. Any \`NODE_ENV\` other than \`development\` and \`test\` counts as production, but without
\`NODE_ENV\`, the service runs as in development.

A secret can also come from a file: set \`NAME_FILE\` to its path, as in \`CHAT_BOT_TOKEN_FILE=/run/secrets/bot-token\`. The file is read
at startup, and one line break at its end is ignored. Set either the variable or the file, not both.
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

/** Returns the README with its table of figures replaced by the newest. */
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
