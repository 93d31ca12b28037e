import {
  type EndpointDefinition,
  type ErrorDefinition,
  errors,
  events,
  Member,
  ProblemDetail,
  projectReads,
  type Schema,
  SessionRole,
  sessions,
  webhooks,
} from '@rolecall/contract'

/**
 * The schemas that the Python client reads, with their names and comments, each after the schemas to which it refers.
 */
const described: readonly (readonly [name: string, about: string, schema: object])[] = [
  ['ProblemDetail', 'One problem of a request.', ProblemDetail],
  ['Role', 'A role of a member in a server.', SessionRole],
  ['Member', 'A member of the community.', Member],
  ['SessionSummary', 'A session as its project sees it.', sessions.SessionSummary],
  [
    'Session',
    'A live session: its member, and the roles that they hold in its server right now.',
    sessions.ValidateResponse,
  ],
  [
    'NewSession',
    'The result of an exchange: the pair to store, the member and their roles.',
    sessions.TokenResponse,
  ],
  ['ClientInfo', 'The browser that a session was created for.', clientInfo()],
  ['SessionListItem', 'One of a member’s sessions. It never contains a token.', sessions.SessionListItem],
  ['ServerMember', 'A member of one server.', projectReads.ServerMember],
  ['RemovedMember', 'A former member of a server.', projectReads.RemovedMember],
  [
    'MemberPage',
    'One page of the members of a server, or of the changes since a cursor.',
    answerOf(projectReads.listServerMembers),
  ],
  [
    'PermissionCheck',
    'The result of a check: whether a member holds roles right now.',
    answerOf(projectReads.checkPermissions),
  ],
  ['CheckedMember', 'The result of a check of many members, for one of them.', projectReads.CheckedMember],
  ['Submission', 'A stored submission.', answerOf(webhooks.submit, 201)],
]

const models = described.map(([name, about, schema]) => [name, about, plain(schema)] as const)

/** The classes of events. The event `session.revoked` has the class `SessionRevoked`. */
const eventModels = Object.entries(events.Events).map(([name, schema]) => ({
  name,
  className: name.replaceAll(/(?:^|[._])(\w)/g, (_, letter: string) => letter.toUpperCase()),
  schema: plain(schema),
}))

const codes = [
  ...new Set([
    ...Object.entries<ErrorDefinition>(errors).map(([row, { code }]) => code ?? row),
    'NETWORK_ERROR',
    'TIMEOUT',
    'UNEXPECTED_RESPONSE',
  ]),
]

/** Returns `clients/python/src/rolecall/models.py`, which contains the responses of the service as Python classes. */
export const pythonModels =
  (): string => `# Generated from packages/contract by tools/build-generated.js. Do not edit.
"""The responses of the service. Times have a time zone; a missing value is \`None\`."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, Mapping, Optional, Tuple, Union

from . import json_values as read

#: Every reason for which a call fails. A newer service may send codes that this version does not list.
ErrorCode = Literal[
${codes.map((code) => `    "${code}",\n`).join('')}]
${models.map(([name, about, schema]) => modelClass(name, about, schema)).join('')}${eventModels
  .map(({ name, className, schema }) => eventClass(name, className, schema))
  .join('')}

@dataclass(frozen=True)
class UnknownEvent:
    """An event of a newer service that this version does not know."""

    id: Optional[str]
    type: str
    data: Mapping[str, object]


Event = Union[${[...eventModels.map(({ className }) => className), 'UnknownEvent'].join(', ')}]


def event_from_json(id: Optional[str], type: str, value: object) -> Event:
    """The event of that name."""
    data = read.as_object(value)
${eventModels
  .map(
    ({ name, className }) => `    if type == "${name}":\n        return ${className}.from_json(id, data)\n`,
  )
  .join('')}    return UnknownEvent(id, type, data)
`

const modelClass = (name: string, about: string, schema: Schema) => `

@dataclass(frozen=True)
class ${name}:
    """${about}"""

${fieldsOf(schema)}
    @classmethod
    def from_json(cls, value: object) -> ${name}:
        data = read.as_object(value)
        return cls(
${readsOf(schema)}        )
`

const eventClass = (name: string, className: string, schema: Schema) => `

@dataclass(frozen=True)
class ${className}:
    """The event \`${name}\`."""

    id: Optional[str]
${fieldsOf(schema)}    type: Literal["${name}"] = "${name}"

    @classmethod
    def from_json(cls, id: Optional[str], data: Mapping[str, object]) -> ${className}:
        return cls(
            id,
${readsOf(schema)}        )
`

const fieldsOf = (schema: Schema) =>
  entriesOf(schema)
    .map(([key, one]) => {
      const { type, isOptional } = pythonOf(one, isRequired(schema, key))
      const about = one.description ?? innerOf(one).description
      const comment = about === undefined ? '' : `    #: ${about}\n`
      // Hides tokens from `repr`, because printing or logging an object must not reveal a credential.
      const hidden = /token$/i.test(key) ? ' = field(repr=False)' : ''
      return `${comment}    ${snakeCase(key)}: ${isOptional ? `Optional[${type}]` : type}${hidden}\n`
    })
    .join('')

const readsOf = (schema: Schema) =>
  entriesOf(schema)
    .map(([key, one]) => {
      const { reader, item, isOptional } = pythonOf(one, isRequired(schema, key))
      const more = item === undefined ? '' : `, ${item}.from_json`
      return `            read.${isOptional ? 'optional_' : ''}${reader}(data, "${key}"${more}),\n`
    })
    .join('')

const entriesOf = (schema: Schema) => Object.entries(schema.properties ?? {})
const isRequired = (schema: Schema, key: string) => schema.required?.includes(key) ?? false

/** Returns the Python type of a field, and the function in json_values.py that reads it. */
function pythonOf(schema: Schema, required: boolean) {
  const inner = innerOf(schema)
  const isOptional = !required || inner !== schema
  if (inner.items?.type === 'string') {
    return { type: 'Tuple[str, ...]', reader: 'texts', item: undefined, isOptional }
  }
  const item = inner.items ? nameOf(inner.items) : inner.type === 'object' ? nameOf(inner) : undefined
  if (inner.type === 'array') return { type: `Tuple[${item}, ...]`, reader: 'items', item, isOptional }
  if (inner.type === 'object') return { type: `${item}`, reader: 'item', item, isOptional }
  const scalar = scalars[inner.format === 'date-time' ? 'date-time' : (inner.type ?? '')]
  if (!scalar) throw new Error(`Python has no type yet for ${JSON.stringify(schema)}.`)
  return { ...scalar, item, isOptional }
}

const scalars: Readonly<Record<string, { readonly type: string; readonly reader: string }>> = {
  string: { type: 'str', reader: 'text' },
  'date-time': { type: 'datetime', reader: 'time' },
  integer: { type: 'int', reader: 'integer' },
  boolean: { type: 'bool', reader: 'flag' },
}

/** Returns a nullable schema without null. */
function innerOf(schema: Schema): Schema {
  return schema.anyOf?.find(({ type }) => type !== 'null') ?? schema
}

function nameOf(schema: Schema): string {
  const wanted = JSON.stringify(schema.properties)
  const [name] = models.find(([, , one]) => JSON.stringify(one.properties) === wanted) ?? []
  if (name === undefined) throw new Error(`A model is missing for ${JSON.stringify(schema)}.`)
  return name
}

/** Converts a schema of the contract to plain JSON Schema. */
function plain(schema: object): Schema {
  return JSON.parse(JSON.stringify(schema))
}

function clientInfo(): object {
  return innerOf(plain(sessions.SessionListItem.properties.clientInfo))
}

function answerOf({ answers }: EndpointDefinition, status = 200): object {
  const answer = answers[status]
  if (!answer) throw new Error(`The endpoint has no answer ${status}.`)
  return answer
}

const snakeCase = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
