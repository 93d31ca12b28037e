import { createHash, randomBytes } from 'node:crypto'
import { call } from './client.ts'
import { atPlatform, Browser, type GivenProject, givenProject } from './given.ts'
import type { World } from './service.ts'

export const clientUri = 'https://wiki.example/oidc/callback'

/** Creates a project that is a client of OpenID Connect. */
export const givenClient = (
  world: World,
  { oidc = {}, ...more }: Parameters<typeof givenProject>[1] = {},
): Promise<GivenProject> =>
  givenProject(world, {
    isInternal: true,
    redirectUris: [clientUri],
    oidc: { enabled: true, ...oidc },
    ...more,
  })

export const pkce = () => {
  const verifier = randomBytes(32).toString('base64url')
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') }
}

/** Returns the address to which a client sends a browser. */
export const authPath = (project: GivenProject, more: Record<string, string> = {}) =>
  `/oidc/auth?${new URLSearchParams({
    client_id: project.id,
    redirect_uri: clientUri,
    response_type: 'code',
    scope: 'openid profile email roles',
    state: 'a-state',
    nonce: 'a-nonce',
    ...more,
  })}`

interface Walk {
  readonly as?: string
  readonly browser?: Browser
  readonly cancel?: boolean
  /** The button to press on a consent page. */
  readonly decision?: 'allow' | 'deny'
}

/** Follows redirects and pages in a browser until it leaves the service. Returns the destination. */
export async function walk(
  world: Pick<World, 'url' | 'sim'>,
  path: string,
  { browser = new Browser(world.url), decision = 'allow', ...who }: Walk = {},
): Promise<URL> {
  let next = path
  for (let i = 0; i < 12; i++) {
    const reply = await browser.get(next)
    const location = reply.headers.get('location')
    if (reply.status === 200 && next.startsWith('/oidc/interaction/')) {
      const to = new URL(await answerConsent(world.url, browser, next, decision))
      next = to.pathname
    } else if (location === null) {
      throw new Error(`${next} answered ${reply.status}: ${reply.text}`)
    } else if (location.startsWith(world.sim.url)) {
      next = await atPlatform(location, who)
    } else {
      const to = new URL(location, world.url)
      if (to.origin !== world.url) return to
      next = to.pathname + to.search
    }
  }
  throw new Error('The browser is redirected in a loop.')
}

async function answerConsent(url: string, browser: Browser, path: string, decision: string): Promise<string> {
  const reply = await postForm(url, path, { decision }, { cookie: browser.cookie, origin: url })
  const location = reply.headers.get('location')
  if (location === null) throw new Error(`consent answered ${reply.status}: ${reply.text}`)
  return location
}

export const postForm = (
  url: string,
  path: string,
  form: Record<string, string> | string,
  headers: Record<string, string> = {},
) =>
  call(url, 'POST', path, {
    raw: typeof form === 'string' ? form : new URLSearchParams(form).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
  })

export const basic = ({ id, key }: GivenProject) => ({
  authorization: `Basic ${Buffer.from(`${id}:${key}`).toString('base64')}`,
})

/** Redeems a code at the token endpoint, as a client with a secret. */
export const redeem = (world: { url: string }, project: GivenProject, code: string, more = {}) =>
  postForm(
    world.url,
    '/oidc/token',
    { grant_type: 'authorization_code', code, redirect_uri: clientUri, ...more },
    basic(project),
  )

export interface Tokens {
  readonly access_token: string
  readonly refresh_token?: string
  readonly id_token: string
  readonly scope: string
}

/** Signs in and redeems the code. */
export async function logIn(
  world: World,
  project: GivenProject,
  { scope = 'openid profile email roles offline_access', ...who }: Walk & { scope?: string } = {},
): Promise<Tokens> {
  const end = await walk(world, authPath(project, { scope }), who)
  const code = end.searchParams.get('code')
  if (!code) throw new Error(`no code: ${end}`)
  const reply = await redeem(world, project, code)
  if (reply.status !== 200) {
    const logged = world.service.logs.lines.filter((line) => /"level":(20|50)/.test(line)).slice(-3)
    throw new Error(`${reply.status} ${reply.text} ${logged.join('')}`)
  }
  return reply.body
}

export const userinfo = (world: { url: string }, token: string) =>
  call(world.url, 'GET', '/oidc/me', { headers: { authorization: `Bearer ${token}` } })

export const introspect = (world: { url: string }, project: GivenProject, token: string) =>
  postForm(world.url, '/oidc/introspect', { token }, basic(project))

export const refresh = (world: { url: string }, project: GivenProject, token: string | undefined) =>
  postForm(
    world.url,
    '/oidc/token',
    { grant_type: 'refresh_token', refresh_token: token ?? '' },
    basic(project),
  )

/** Returns the claims of a JWT, unverified. */
export const claimsOf = (jwt: string) =>
  JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString())
