import { endpoints, operationIdOf } from '@rolecall/contract'

/** The endpoints for which the console has a form. */
const forms: readonly string[] = [
  'addApiKey',
  'addRedirectUri',
  'blockMember',
  'createProject',
  'createWebhook',
  'regenerateApiKey',
  'updateProfile',
  'updateProject',
  'updateWebhook',
]

/**
 * Returns `apps/console/src/forms/form-bodies.ts`, which contains the schema of each form's body. So the console need
 * not load the rest of the contract and its schema library, which are thirty times as large.
 */
export function formBodies(): string {
  const definitions = endpoints.filter((definition) => forms.includes(operationIdOf(definition)))
  const partial = definitions.filter(({ method }) => method === 'PATCH').map(operationIdOf)
  const bodies = definitions.map(
    (definition) => `  ${operationIdOf(definition)}: ${JSON.stringify(definition.body, withoutUnshown)},\n`,
  )
  return `// Generated from packages/contract by tools/build-generated.js. Do not edit.
import type { Schema } from '@rolecall/contract'

/** The endpoints for which there is a form. */
export type FormName =
${forms.map((name) => `  | '${name}'\n`).join('')}
const bodies = {
${bodies.join('')}}

/** The schema of the body of each. */
export const formBodies: Readonly<Record<FormName, Schema>> = bodies

/** The endpoints that keep the values of omitted fields. */
export const partialForms: ReadonlySet<FormName> = new Set([${partial.map((name) => `'${name}'`).join(', ')}])
`
}

interface Described {
  readonly type?: string
  readonly format?: string
  readonly anyOf?: readonly { readonly type?: string }[]
}

/** Leaves out the descriptions that no field of a form shows: those of objects and of IDs. */
function withoutUnshown(this: Described, key: string, value: unknown) {
  if (key !== 'description' || typeof value !== 'string') return value
  const isObject = [this, ...(this.anyOf ?? [])].some(({ type }) => type === 'object')
  return isObject || this.format === 'uuid' ? undefined : value
}
