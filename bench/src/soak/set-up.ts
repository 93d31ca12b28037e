import { demo } from '@rolecall/chat-sim'
import { type Answer, textOf } from './answer.ts'
import type { Project } from './ledger.ts'
import { type Logins, redirectUri } from './logins.ts'
import type { Ask } from './requests.ts'
import { oidcUri, type Webhook } from './service-traffic.ts'

/** The result of `setUp`. */
export interface SetUp {
  readonly admin: { token: string }
  readonly projects: readonly [Project, Project]
  readonly oidc: Project
  readonly webhook: Webhook
}

/**
 * Signs in an administrator, and creates two sites, a client of OpenID Connect, and a webhook, by the service's API.
 */
export async function setUp(ask: Ask, logins: Logins): Promise<SetUp> {
  const token = await signInAdmin(ask, logins)
  const create = async (name: string, uri: string, more: object = {}): Promise<Project> => {
    const body = { name, ...more }
    const made = good(await ask('POST', '/api/admin/projects', { token, body }))
    const project = { id: textOf(made.body, 'project', 'id'), key: textOf(made.body, 'apiKey') }
    const to = `/api/admin/projects/${project.id}/redirect-uri`
    good(await ask('PATCH', to, { token, body: { redirectUri: uri } }))
    return project
  }
  const first = await create('Site', redirectUri)
  const second = await create('Shop', redirectUri)
  const oidc = await create('Wiki', oidcUri, { isInternal: true, oidc: { enabled: true } })
  const schema = {
    type: 'object',
    properties: { number: { type: 'integer' } },
    required: ['number'],
    additionalProperties: false,
  }
  const body = { name: 'Contact', schema, requireSignature: true }
  const to = `/api/admin/projects/${first.id}/inbound-webhooks`
  const made = good(await ask('POST', to, { token, body }))
  const webhook = { id: textOf(made.body, 'id'), secret: textOf(made.body, 'secret') }
  return { admin: { token }, projects: [first, second], oidc, webhook }
}

/** Signs in as an administrator. Returns the token of the session. */
export async function signInAdmin(ask: Ask, logins: Logins): Promise<string> {
  const path = `/api/auth/admin/login?${new URLSearchParams({ return_to: '/console/' })}`
  const code = await logins.codeOf(path, { id: demo.users.mara })
  const session = good(await ask('POST', '/api/auth/admin/token', { body: { code } }))
  return textOf(session.body, 'token')
}

/** Returns a response if it is a success. @throws if it is not */
export function good(answer: Answer): Answer {
  if (answer.status >= 200 && answer.status < 300) return answer
  throw new Error(`The setup request returned ${answer.status}: ${JSON.stringify(answer.body)}`)
}
