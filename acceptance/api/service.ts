import { randomUUID } from 'node:crypto'
import { demo, walkLogin } from '@rolecall/chat-sim'
import { describe, expect, inject } from 'vitest'

/** The address of the tested service. These tests know nothing else about it. */
const url = inject('rolecallUrl')
const chatSimUrl = inject('chatSimUrl')

/** Describes tests in which members sign in. They need the simulated chat platform, and are skipped without it. */
export const describeWithMembers = describe.skipIf(chatSimUrl === '')

export interface Sent {
  readonly key?: string | undefined
  readonly token?: string | undefined
  readonly body?: unknown
  /** The text to send as the body, instead of `body` as JSON. */
  readonly raw?: string
  readonly headers?: Readonly<Record<string, string>>
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: tests assert the parts of the body that they need.
  readonly body: any
  readonly text: string
}

/** Sends a request to the service, and checks that a refusal has the shape that all errors have. */
export async function ask(method: string, path: string, sent: Sent = {}): Promise<Answer> {
  const content = sent.raw ?? (sent.body === undefined ? undefined : JSON.stringify(sent.body))
  const answer = await fetch(new URL(path, url), {
    method,
    redirect: 'manual',
    headers: {
      accept: 'application/json',
      ...(sent.key !== undefined && { 'x-api-key': sent.key }),
      ...(sent.token !== undefined && { authorization: `Bearer ${sent.token}` }),
      ...(content !== undefined && { 'content-type': 'application/json' }),
      ...sent.headers,
    },
    ...(content !== undefined && { body: content }),
  })
  const text = await answer.text()
  const type = answer.headers.get('content-type') ?? ''
  const reply = {
    status: answer.status,
    headers: answer.headers,
    text,
    body: /json/.test(type) ? JSON.parse(text) : undefined,
  }
  if (reply.status >= 400 && path !== '/api/health') expectProblem(reply)
  return reply
}

function expectProblem({ status, headers, body }: Answer) {
  expect(headers.get('content-type')).toMatch(/^application\/problem\+json/)
  expect(body).toMatchObject({
    type: expect.any(String),
    title: expect.any(String),
    status,
    detail: expect.any(String),
    code: expect.stringMatching(/^[A-Z][A-Z_]+$/),
    requestId: headers.get('x-request-id'),
  })
}

/** A browser with its cookies. */
export class Browser {
  readonly cookies = new Map<string, string>()

  async open(path: string, accept = 'application/json'): Promise<Answer> {
    const cookie = [...this.cookies].map((pair) => pair.join('=')).join('; ')
    const answer = await ask('GET', path, { headers: { accept, ...(cookie && { cookie }) } })
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (value === '') this.cookies.delete(name)
      else this.cookies.set(name, value)
    }
    return answer
  }

  /** Agrees at the chat platform as a member. Returns the address to which the platform redirects the browser. */
  async agreeAtPlatform(start: Answer, as: string, cancel = false): Promise<string> {
    return walkLogin(start.headers.get('location') ?? '', { as, cancel })
  }

  /** Signs in, beginning at `path`. Returns the address to which the service redirects the browser at the end. */
  async logIn(path: string, as: string, cancel = false): Promise<URL> {
    const start = await this.open(path)
    expect(start.status, start.text).toBe(302)
    const end = await this.open(await this.agreeAtPlatform(start, as, cancel))
    expect(end.status, end.text).toBe(302)
    return new URL(end.headers.get('location') ?? '', url)
  }
}

/** Returns a name that no other run has used. */
export const uniqueName = (what = 'Acceptance') => `${what} ${randomUUID().slice(0, 13)}`

/** Signs in as Mara Lind, who is a System Admin. Returns the token of the session. */
export async function logInAsAdmin(): Promise<string> {
  const end = await new Browser().logIn('/api/auth/admin/login?return_to=/console/', demo.users.mara)
  const code = new URLSearchParams(end.hash.slice(1)).get('code')
  return (await ask('POST', '/api/auth/admin/token', { body: { code } })).body.token
}

export const redirectUri = 'https://site.example/callback?keep=1'

export interface Project {
  readonly id: string
  readonly key: string
}

/** Creates a project with access to the main server and one redirect URI. */
export async function givenProject(token: string, more: object = {}): Promise<Project> {
  const made = await ask('POST', '/api/admin/projects', { token, body: { name: uniqueName(), ...more } })
  expect(made.status, made.text).toBe(201)
  const { id } = made.body.project
  const set = await ask('PATCH', `/api/admin/projects/${id}/redirect-uri`, { token, body: { redirectUri } })
  expect(set.status, set.text).toBe(200)
  return { id, key: made.body.apiKey }
}

export const authorizePath = (projectId: string, more: Readonly<Record<string, string>> = {}) =>
  `/api/auth/authorize?${new URLSearchParams({
    client_id: projectId,
    redirect_uri: redirectUri,
    server_id: demo.mainGuildId,
    state: 'state of the project',
    ...more,
  })}`

/** Signs in as a member, and returns the one-time code. */
export async function givenCode(project: Project, as: string = demo.users.ada): Promise<string> {
  const end = await new Browser().logIn(authorizePath(project.id), as)
  const code = end.searchParams.get('code')
  expect(code, `the sign-in ended at ${end.search}`).not.toBeNull()
  return code ?? ''
}

export const exchange = (project: Project, code: string, more: object = {}) =>
  ask('POST', '/api/auth/token', {
    key: project.key,
    body: { clientId: project.id, code, redirectUri, ...more },
  })

export interface Session {
  readonly token: string
  readonly refreshToken: string
  readonly expiresAt: string
}

/** Signs in as a member, exchanges the code, and returns the session. */
export async function givenSession(project: Project, as?: string): Promise<Session> {
  const { status, text, body } = await exchange(project, await givenCode(project, as))
  expect(status, text).toBe(200)
  return body
}

export const validate = (project: Project, token: string) =>
  ask('POST', '/api/auth/validate', { key: project.key, body: { token } })

/** Gives a member a role on the chat platform, or removes it. */
export async function toggleRole(member: string, role: string) {
  const answer = await fetch(`${chatSimUrl}/control/toggle-role`, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams({ guild: demo.mainGuildId, member, role }),
  })
  expect(answer.status).toBe(303)
}
