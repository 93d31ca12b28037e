import type { Answer, EndpointDefinition, Schema } from '@rolecall/contract'
import * as contract from '@rolecall/contract'
import { type AnySchema, createPrinter, doc, sentence } from './print-schema.ts'

const { endpoints, operationIdOf } = contract

/** The endpoints that administrators call with an admin session. The sign-in is not among them: a browser opens it. */
const ofAdministration = endpoints.filter(
  ({ auth, path, answers }) => auth === 'admin' || (path.startsWith('/api/auth/admin/') && 200 in answers),
)

const isObjectSchema = (value: unknown): value is AnySchema & Schema =>
  typeof value === 'object' && value !== null && 'properties' in value

/**
 * The named types, by the names of their exports. If several modules use a name for different types, the first one
 * wins.
 */
const named = [
  ...new Map(
    Object.values<unknown>(contract)
      .filter((module) => typeof module === 'object' && module !== null)
      .flatMap((module) => Object.entries(module))
      .filter((entry): entry is [string, AnySchema & Schema] => isObjectSchema(entry[1]))
      .reverse(),
  ),
].reverse()

/**
 * Returns `packages/sdk/src/admin-types.ts`, which contains the types of the endpoints for administrators. They do not
 * need the contract's schema library. `admin.test.ts` compares them with the types of the contract.
 */
export function adminTypes(): string {
  const { print, printObject, used } = createPrinter(named)

  const printAnswer = (answer: Answer): string => {
    if (answer === null) return 'undefined'
    if ('download' in answer || 'picture' in answer) return 'Download'
    if ('events' in answer) {
      const events = Object.entries(answer.events).map(
        ([name, data]) => `      readonly '${name}': ${print(data, '      ')}\n`,
      )
      return `Stream<{\n${events.join('')}    }>`
    }
    return print(answer, '    ')
  }
  const printEndpoint = (definition: EndpointDefinition): string => {
    const { params, query, body, bodyOptional, upload, summary, answers } = definition
    const fields = [
      ...(params ? [`readonly params: ${print(params, '    ')}`] : []),
      ...(query ? [`readonly query: ${print(query, '    ')}`] : []),
      ...(body ? [`readonly body${bodyOptional ? '?' : ''}: ${print(body, '    ')}`] : []),
      ...(upload ? ['readonly body: Blob'] : []),
      `readonly answer: ${[...new Set(Object.values(answers).map(printAnswer))].join(' | ')}`,
    ]
    const lines = fields.map((field) => `    ${field}\n`).join('')
    return `${doc(sentence(summary), '  ')}  readonly ${operationIdOf(definition)}: {\n${lines}  }\n`
  }

  const printed = ofAdministration.map(printEndpoint).join('')
  const schemas = new Map(named)
  const interfaces: string[] = []
  // The loop continues while printing an interface adds the names of other interfaces to `used`.
  for (const name of used) {
    const schema = schemas.get(name)
    if (!schema) continue
    const comment = schema.description === undefined ? '' : doc(schema.description, '')
    interfaces.push(`${comment}export interface ${name} ${printObject(schema, '')}\n`)
  }
  const addresses = ofAdministration.map(
    (definition) =>
      `  ${operationIdOf(definition)}: { method: '${definition.method}', path: '${definition.path}' },\n`,
  )
  return `// Generated from packages/contract by tools/build-generated.js. Do not edit.

/** A file, which a browser downloads from its address. */
export interface Download {
  readonly isFile: true
}

/** A stream of Server-Sent Events: name → data. */
export interface Stream<Events> {
  readonly events: Events
}

${interfaces.join('\n')}
/** The endpoints of the administration, by their names in the API reference. */
export interface AdminEndpoints {
${printed}}

/** The method and path of each endpoint. */
export const adminAddresses = {
${addresses.join('')}} as const
`
}
