import { demo } from '@rolecall/chat-sim'
import { grantAccess } from '../src/features/access/grant-access.ts'
import { type CreateProject, createProject } from '../src/features/projects/create-project.ts'
import { call } from './client.ts'
import { issueAdminSession, issueSession } from './issue-session.ts'
import type { World } from './service.ts'

export const redirectUri = 'https://site.example/callback?keep=1'

export interface GivenProject {
  readonly id: string
  readonly key: string
}

let projects = 0

/** Creates a project, by default with access to the main server. */
export async function givenProject(
  { service: { deps } }: World,
  { serverIds = [demo.mainGuildId], ...input }: Partial<CreateProject> & { serverIds?: string[] } = {},
): Promise<GivenProject> {
  projects += 1
  const { id, apiKey } = await createProject(
    deps,
    {},
    { name: `Project ${projects}`, redirectUris: [redirectUri], ...input },
  )
  for (const serverId of serverIds) await grantAccess(deps, {}, { projectId: id, serverId })
  return { id, key: apiKey }
}

/** The cookies of one browser. */
export class Browser {
  readonly jar = new Map<string, string>()
  readonly url: string

  constructor(url: string) {
    this.url = url
  }

  get cookie() {
    return [...this.jar].map(([name, value]) => `${name}=${value}`).join('; ')
  }

  async get(path: string, headers: Record<string, string> = {}) {
    const reply = await call(this.url, 'GET', path, {
      headers: { ...(this.cookie && { cookie: this.cookie }), ...headers },
    })
    for (const line of reply.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (value === '' || /max-age=0/i.test(line)) this.jar.delete(name)
      else this.jar.set(name, value)
    }
    return reply
  }
}

export const authorizePath = (projectId: string, more: Record<string, string> = {}) =>
  `/api/auth/authorize?${new URLSearchParams({
    client_id: projectId,
    redirect_uri: redirectUri,
    server_id: demo.mainGuildId,
    state: 'project-state',
    ...more,
  })}`

/**
 * Completes a sign-in in a browser: authorize, the platform's screen, and the callback. Returns the final redirect of
 * the service.
 */
export async function walkLogin(
  world: Pick<World, 'url' | 'sim'>,
  path: string,
  { as = demo.users.ada as string, browser = new Browser(world.url), cancel = false } = {},
): Promise<URL> {
  const start = await browser.get(path)
  const screen = start.headers.get('location') ?? ''
  if (start.status !== 302) throw new Error(`authorize answered ${start.status}: ${start.text}`)
  if (!screen.startsWith(world.sim.url)) return new URL(screen)
  const end = await browser.get(await atPlatform(screen, { as, cancel }))
  if (end.status !== 302) throw new Error(`callback answered ${end.status}: ${end.text}`)
  return new URL(end.headers.get('location') ?? '', world.url)
}

/** Confirms or cancels at the platform's screen. Returns the path to which the platform redirects the browser. */
export async function atPlatform(
  screen: string,
  { as = demo.users.ada as string, cancel = false } = {},
): Promise<string> {
  const answer = await fetch(`${screen}&login_as=${as}&auto=${cancel ? 'cancel' : '1'}`, {
    redirect: 'manual',
  })
  await answer.body?.cancel()
  const back = new URL(answer.headers.get('location') ?? '')
  return back.pathname + back.search
}

/** Returns a one-time code of a completed sign-in. */
export async function givenCode(
  world: World,
  project: GivenProject,
  as: string = demo.users.ada,
  more = {},
): Promise<string> {
  const end = await walkLogin(world, authorizePath(project.id, more), { as })
  const code = end.searchParams.get('code')
  if (!code) throw new Error(`no code: ${end}`)
  return code
}

export interface GivenSession {
  readonly token: string
  readonly refreshToken: string
  readonly expiresAt: string
}

export const exchange = (
  world: World,
  project: GivenProject,
  code: string,
  more: object = {},
  headers = {},
) =>
  call(world.url, 'POST', '/api/auth/token', {
    key: project.key,
    body: { clientId: project.id, code, redirectUri, ...more },
    headers,
  })

/** Creates a session of a member in a project. Tests of the sign-in use `givenCode` and `exchange` instead. */
export const givenSession = (
  { service, sim }: World,
  project: GivenProject,
  as: string = demo.users.ada,
): Promise<GivenSession> => issueSession(service.deps, sim, { projectId: project.id, redirectUri, as })

/** Creates a session by a sign-in in a new browser, which then has single sign-on. */
export async function walkSession(
  world: World,
  project: GivenProject,
  as: string = demo.users.ada,
): Promise<GivenSession> {
  const reply = await exchange(world, project, await givenCode(world, project, as))
  if (reply.status !== 200) throw new Error(reply.text)
  return reply.body
}

export const validate = (world: { url: string }, project: GivenProject, token: string) =>
  call(world.url, 'POST', '/api/auth/validate', { key: project.key, body: { token } })

/** Returns the token of an admin session, by default of a member with the admin role. */
export const givenAdmin = async ({ service, sim }: World, as: string = demo.users.mara): Promise<string> =>
  (await issueAdminSession(service.deps, sim, as)).token

/** Creates an admin session by a sign-in. Required if the service runs in another process. */
export async function walkAdminLogin(
  world: Pick<World, 'url' | 'sim'>,
  as: string = demo.users.mara,
): Promise<string> {
  const end = await walkLogin(world, '/api/auth/admin/login?return_to=/console/', { as })
  const code = new URLSearchParams(end.hash.slice(1)).get('code')
  const reply = await call(world.url, 'POST', '/api/auth/admin/token', { body: { code } })
  if (reply.status !== 200) throw new Error(reply.text)
  return reply.body.token
}

/** Begins a sign-in in a browser. Returns the address of the platform's screen. */
export async function openLogin(browser: Browser, path: string): Promise<string> {
  const start = await browser.get(path)
  if (start.status !== 302) throw new Error(`${path} answered ${start.status}: ${start.text}`)
  return start.headers.get('location') ?? ''
}

/** Returns the number of rows of a table. */
export const countRows = async ({ service: { deps } }: World, table: string): Promise<number> =>
  (await deps.db.maybeOne<{ n: number }>({ text: `select count(*) as n from ${table}`, values: [] }))?.n ?? -1
