import {
  type ErrorCode,
  type ErrorDefinition,
  endpoints,
  errors,
  formats,
  refusals,
} from '@rolecall/contract'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'
import { document, type Media, operationOf } from './openapi.ts'
import { nameOf, rowsOf } from './requests.ts'

const ajv = new Ajv2020({ strict: false, formats, unicodeRegExp: true })

const compiled = new Map<string, ReturnType<typeof ajv.compile>>()

/** Returns the error of an example, by the schema next to it, or undefined if it is valid. */
function faultOf(schema: unknown, example: unknown): string | undefined {
  if (example === undefined) return 'no example'
  const text = JSON.stringify(schema)
  const validate = compiled.get(text) ?? ajv.compile({ allOf: [schema], components: document.components })
  compiled.set(text, validate)
  return validate(example) ? undefined : `${JSON.stringify(example)} ${ajv.errorsText(validate.errors)}`
}

const resolve = (one: unknown) => {
  const [, name = ''] = /^#\/components\/examples\/(.+)$/.exec((one as { $ref?: string }).$ref ?? '') ?? []
  return document.components.examples[name]?.value
}

const codeOf = (name: ErrorCode) => (errors[name] as ErrorDefinition).code ?? name
const refOf = (media: Media | undefined) => (media?.schema as { $ref?: string } | undefined)?.$ref

describe('the OpenAPI document', () => {
  test('calls each operation by a short name of its own, as the contract does', () => {
    const ids = endpoints.map((one) => operationOf(one).operationId)
    expect(ids.filter((id) => !/^[a-z]+([A-Z][a-z]+)*$/.test(id))).toEqual([])
    expect(new Set(ids).size).toBe(endpoints.length)
    expect(ids).toEqual(
      expect.arrayContaining(['createProject', 'exchangeCode', 'validateSession', 'submit']),
    )
  })

  test('has the records of the service under their names', () => {
    const names = Object.keys(document.components.schemas)
    const records = ['Member', 'Role', 'Project', 'Session', 'AuditEntry', 'Server', 'ServerAccess']
    const others = [
      'InboundWebhook',
      'Submission',
      'MemberSync',
      'NotificationDelivery',
      'Settings',
      'Problem',
    ]
    expect(names).toEqual(expect.arrayContaining([...records, ...others]))
  })

  test('describes no record twice: where one stands in another, it is a reference', () => {
    const seen = new Map<string, string>()
    const twice: string[] = []
    const records = Object.entries(document.components.schemas).filter(
      ([name]) => !/(Input|Answer)$/.test(name),
    )
    for (const [name, schema] of records) {
      const text = JSON.stringify(schema)
      if (seen.has(text)) twice.push(`${name} is ${seen.get(text)}`)
      seen.set(text, name)
    }
    expect(twice).toEqual([])
    const { schemas } = document.components as {
      schemas: Record<string, { properties: Record<string, unknown> }>
    }
    expect(schemas['TokenResponse']?.properties['member']).toEqual({ $ref: '#/components/schemas/Member' })
    expect(schemas['CreateProjectAnswer']?.properties['project']).toEqual({
      $ref: '#/components/schemas/Project',
    })
  })

  test('names everything that is sent or answered as a whole', () => {
    const unnamed = endpoints.flatMap((one) => {
      const { operationId, requestBody, responses } = operationOf(one)
      const answers = Object.entries(one.answers)
        .filter(([, answer]) => !(answer && 'download' in answer))
        .map(([status]) => responses[status]?.content?.['application/json'])
      return [one.payload ? undefined : requestBody?.content['application/json'], ...answers]
        .filter((media) => media !== undefined && refOf(media) === undefined)
        .map(() => operationId)
    })
    expect(unnamed).toEqual([])
  })

  test.each(rowsOf(() => true))(
    '%s: examples of request, answers and refusals fit their schemas',
    (_, one) => {
      const { parameters, requestBody, responses } = operationOf(one)
      const bodies = [requestBody, ...Object.keys(one.answers).map((status) => responses[status])].flatMap(
        (part) =>
          Object.entries(part?.content ?? {}).filter(
            ([type]) => !/^(application\/problem\+json|text\/html|image\/.*)$/.test(type),
          ),
      )
      const problems = Object.values(responses).flatMap(
        ({ content }) => content?.['application/problem+json'] ?? [],
      )
      expect(
        [
          ...parameters.map(({ name, schema, example }) => [name, faultOf(schema, example)]),
          ...bodies.map(([, { schema, example }]) => ['body', faultOf(schema, example)]),
          ...problems.flatMap(({ schema, examples = {} }) =>
            Object.entries(examples).map(([name, example]) => [name, faultOf(schema, resolve(example))]),
          ),
        ].filter(([, fault]) => fault !== undefined),
      ).toEqual([])
    },
  )

  test.each(rowsOf(() => true))('%s: each refusal says which codes it can have', (_, one) => {
    const { responses } = operationOf(one)
    const documented = Object.entries(responses).flatMap(([status, { content }]) => {
      const schema = content?.['application/problem+json']?.schema as Narrowed | undefined
      return schema?.allOf?.[1]?.properties.code.enum.map((code) => `${status} ${code}`) ?? []
    })
    const declared = refusals(one).map((name) => `${errors[name].status} ${codeOf(name)}`)
    expect(documented.toSorted()).toEqual([...declared, '400 BAD_REQUEST'].toSorted())
  })

  test('the code of a problem is one of all the codes that there are', () => {
    const { Problem } = document.components.schemas as Record<
      string,
      { properties: { code: { enum: string[] } } }
    >
    const codes = (Object.keys(errors) as ErrorCode[]).map(codeOf)
    expect(Problem?.properties.code.enum.toSorted()).toEqual([...new Set(codes)].toSorted())
  })

  test('a submission takes any JSON, with its signature and its idempotency key', () => {
    const submit = endpoints.filter(({ path }) => path.endsWith('/submit'))
    expect(submit.map(nameOf)).toEqual(['POST /api/inbound-webhooks/{id}/submit'])
    const { requestBody, parameters } = operationOf(submit[0] as (typeof submit)[0])
    expect(requestBody).toMatchObject({ required: true, content: { 'application/json': { schema: {} } } })
    const headers = parameters.filter((one) => one.in === 'header').map(({ name }) => name)
    expect(headers).toEqual(['X-SVC-Signature', 'Idempotency-Key', 'Origin'])
  })
})

interface Narrowed {
  readonly allOf?: readonly { readonly properties: { readonly code: { readonly enum: readonly string[] } } }[]
}
