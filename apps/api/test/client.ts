import {
  type EndpointDefinition,
  type ErrorDefinition,
  endpoints,
  errors,
  formats,
  Problem,
  refusals,
} from '@rolecall/contract'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { headerFaults } from './openapi.ts'
import { credentialsIn } from './secrets.ts'

export interface Reply<Body = Record<string, unknown>> {
  readonly status: number
  readonly headers: Headers
  readonly body: Body
  readonly text: string
}

export interface Call {
  readonly key?: string
  readonly token?: string
  readonly body?: unknown
  /** Sent unchanged, instead of `body`. */
  readonly raw?: string | Uint8Array<ArrayBuffer>
  readonly headers?: Record<string, string>
}

const ajv = new Ajv2020({ strict: false, formats })
const isProblem = ajv.compile(Problem)

/**
 * Calls the service, and validates the response against the contract. A test fails if the status is not declared, or
 * if the body does not match its schema.
 */
// biome-ignore lint/suspicious/noExplicitAny: tests assert the parts of the body that they need.
export async function call<Body = any>(
  url: string,
  method: string,
  path: string,
  options: Call = {},
): Promise<Reply<Body>> {
  const { key, token, body, raw, headers = {} } = options
  const sent = raw ?? (body === undefined ? undefined : JSON.stringify(body))
  const response = await fetch(url + path, {
    method,
    redirect: 'manual',
    headers: {
      accept: 'application/json',
      ...(key !== undefined && { 'x-api-key': key }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(sent !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(sent !== undefined && { body: sent as BodyInit }),
  })
  const type = response.headers.get('content-type') ?? ''
  const isEndless = type.startsWith('text/event-stream')
  if (isEndless) await response.body?.cancel()
  const text = isEndless ? '' : await response.text()
  const isJson = /json/.test(type)
  const reply = {
    status: response.status,
    headers: response.headers,
    text,
    body: isJson ? JSON.parse(text) : undefined,
  }
  holdAgainstContract(method, path, reply)
  holdSecrets(method, path, reply)
  if (byCookieOnly(options)) holdCookieMode(method, path, reply)
  return reply
}

/** Checks that a refusal contains no credential, and that an address contains none except a one-time code. */
function holdSecrets(method: string, path: string, { status, headers, text }: Reply<unknown>) {
  const where = `${method} ${path.split('?')[0]} answered ${status}`
  const inAddress = credentialsIn(headers.get('location') ?? '').filter((one) => !/^rc[cg]_/.test(one))
  if (inAddress.length > 0) throw new Error(`${where} with a credential in an address`)
  if (status >= 400 && credentialsIn(text).length > 0) throw new Error(`${where} with a credential: ${text}`)
}

const byCookieOnly = ({ token, headers = {} }: Call) =>
  token === undefined && headers['authorization'] === undefined && /\bsvc_admin/.test(headers['cookie'] ?? '')

/** Checks that no body contains a session or refresh token if the caller has the console's cookies. */
function holdCookieMode(method: string, path: string, { status, text }: Reply<unknown>) {
  const inBody = credentialsIn(text).filter((one) => /^rc[sr]_/.test(one))
  if (inBody.length > 0)
    throw new Error(`${method} ${path.split('?')[0]} answered ${status} with a token, to a cookie`)
}

function holdAgainstContract(method: string, path: string, reply: Reply<unknown>) {
  const where = `${method} ${path.split('?')[0]} answered ${reply.status}`
  if (!reply.headers.get('x-request-id')) throw new Error(`${where} without X-Request-Id`)
  if (reply.status === 401 && !reply.headers.get('www-authenticate'))
    throw new Error(`${where} without a challenge`)
  if (reply.status === 429 && !reply.headers.get('retry-after'))
    throw new Error(`${where} without Retry-After`)
  if (reply.headers.get('cross-origin-resource-policy') !== 'same-origin')
    throw new Error(`${where} without Cross-Origin-Resource-Policy`)
  if (!reply.headers.get('content-security-policy')?.includes("base-uri 'none'"))
    throw new Error(`${where} without base-uri in its policy`)
  const definition = findEndpoint(method, path)
  if (!definition) return
  const faults = headerFaults(definition, reply.status, reply.headers)
  if (faults.length > 0) throw new Error(`${where}, but ${faults.join(', ')}`)
  const success = definition.answers[reply.status]
  if (success !== undefined) {
    if (success === null || 'events' in success || 'picture' in success) return
    if ('download' in success) expectRows(success.row, reply, where)
    else expectSchema(success, reply.body, where)
    return
  }
  const isDeclared = (code?: string) =>
    refusals(definition).some(
      (one) =>
        errors[one].status === reply.status &&
        (code === undefined || code === ((errors[one] as { code?: string }).code ?? one)),
    )
  const { code } = (reply.body ?? {}) as { code?: string }
  if (definition.page && reply.headers.get('content-type')?.startsWith('text/html')) {
    if (!isDeclared()) throw new Error(`${where}, which the contract does not declare`)
    return
  }
  if (reply.body === undefined)
    throw new Error(`${where} without a problem body: ${reply.text.slice(0, 200)}`)
  if (!isProblem(reply.body)) throw new Error(`${where} with a body that is no problem: ${reply.text}`)
  const unexplained = fixFault(reply.body as Problem)
  if (unexplained) throw new Error(`${where} ${code}, ${unexplained}`)
  if (!isDeclared(code) && code !== 'BAD_REQUEST' && code !== 'URI_TOO_LONG')
    throw new Error(
      `${where} ${code}, which the contract does not declare: add it to refuses of ${definition.path} in packages/contract/src`,
    )
}

/** Returns the reason why a problem does not explain its fix, or undefined if it does. */
function fixFault({ code, status, title, detail }: Problem): string | undefined {
  const rows = Object.entries<ErrorDefinition>(errors).filter(
    ([name, one]) => one.status === status && (one.code ?? name) === code,
  )
  if (detail === title) return 'whose detail only repeats its title'
  const endsWithFix = rows.some(([, { fix }]) => detail.endsWith(fix))
  return endsWithFix ? undefined : 'whose detail does not end with the fix'
}

const validators = new Map<object, ReturnType<typeof ajv.compile>>()

function expectSchema(schema: object, body: unknown, where: string) {
  const validate = validators.get(schema) ?? ajv.compile(schema)
  validators.set(schema, validate)
  if (!validate(body))
    throw new Error(`${where} with a body off its schema: ${ajv.errorsText(validate.errors)}`)
}

/** Checks that the columns of a file, or the keys of its objects, are those of the contract. */
function expectRows(row: object, { body, text }: Reply<unknown>, where: string) {
  if (Array.isArray(body)) for (const one of body) expectSchema(row, one, where)
  else {
    const columns = Object.keys((row as { properties: object }).properties).join(',')
    const [first] = text.replace(/^\uFEFF/, '').split('\r\n')
    if (first !== columns) throw new Error(`${where} with the columns ${first} instead of ${columns}`)
  }
}

function findEndpoint(method: string, path: string): EndpointDefinition | undefined {
  const parts = (path.split('?')[0] ?? '').split('/')
  const fits = (definition: EndpointDefinition) => {
    const wanted = definition.path.split('/')
    return (
      wanted.length === parts.length && wanted.every((part, i) => part.startsWith('{') || part === parts[i])
    )
  }
  const candidates = endpoints.filter((one) => one.method === method && fits(one))
  return candidates.find(({ path: exact }) => !exact.includes('{')) ?? candidates[0]
}
