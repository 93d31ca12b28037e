import { type EndpointDefinition, openApi } from '@rolecall/contract'

/** The part of the OpenAPI document that tests read. */
export interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, unknown>>
    readonly examples: Readonly<Record<string, { readonly value: unknown }>>
    readonly headers: Readonly<Record<string, { readonly required?: boolean }>>
  }
}

export interface Operation {
  readonly operationId: string
  readonly parameters: readonly {
    readonly name: string
    readonly in: string
    readonly schema: unknown
    readonly example: unknown
  }[]
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> }
  readonly responses: Readonly<Record<string, Response>>
}

export interface Media {
  readonly schema: unknown
  readonly example?: unknown
  readonly examples?: Readonly<Record<string, unknown>>
}

interface Response {
  readonly headers?: Readonly<Record<string, unknown>>
  readonly content?: Readonly<Record<string, Media>>
}

export const document = openApi('http://localhost', '0') as unknown as Document

export const operationOf = ({ method, path }: EndpointDefinition): Operation => {
  const operation = document.paths[path]?.[method.toLowerCase()]
  if (!operation) throw new Error(`${method} ${path} is not in the document`)
  return operation
}

/** Returns the differences between the document and the headers of a response. */
export function headerFaults(definition: EndpointDefinition, status: number, headers: Headers): string[] {
  const documented = operationOf(definition).responses[status]?.headers ?? {}
  return Object.entries(document.components.headers).flatMap(([name, { required }]) => {
    if (headers.has(name) && !(name in documented) && name !== 'X-Request-Id')
      return [`${name} is not documented`]
    const isSometimes = isOptional(documented[name])
    return required && name in documented && !isSometimes && !headers.has(name) ? [`${name} is missing`] : []
  })
}

const isOptional = (header: unknown) =>
  typeof header === 'object' && header !== null && 'required' in header && header.required === false
