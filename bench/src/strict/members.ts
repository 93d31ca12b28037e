import { setTimeout as sleep } from 'node:timers/promises'
import { type Answer, textOf } from '../soak/answer.ts'
import type { Project } from '../soak/ledger.ts'
import { type Logins, redirectUri } from '../soak/logins.ts'
import type { Random } from '../soak/random.ts'
import type { Ask } from '../soak/requests.ts'
import { Claim } from './claim.ts'
import {
  aboutAccessToken,
  aboutHostSession,
  aboutMember,
  aboutSession,
  basic,
  proxyHeaders,
  type Question,
} from './questions.ts'

/** The functions and data that the participants of a strict run share. */
export interface Parts {
  readonly ask: Ask
  readonly logins: Logins
  readonly random: Random
  readonly project: Project
  readonly admin: { readonly token: string }
  readonly isOver: () => boolean
}

/** The maximum number of questions about ended sessions that are kept for each member. */
const maxEnded = 8

/** A participant of a strict run, such as a member. */
export interface Participant {
  /** Returns all questions about the participant, including those whose answer is now no. */
  questions(): readonly Question[]
  /** Begins and ends the facts until the run is over. */
  live(): Promise<void>
}

export const isOk = ({ status }: Answer): boolean => status >= 200 && status < 300

/** Repeats a change until it is acknowledged. Without a response, it is not known whether the change was made. */
export async function acknowledged(
  { isOver }: Parts,
  request: () => Promise<Answer>,
  isDone: (answer: Answer) => boolean,
): Promise<void> {
  while (!isOver()) {
    const answer = await request()
    if (isDone(answer)) return
    if (answer.status !== 0 && answer.status !== 503 && answer.status !== 429)
      throw new Error(`A change was answered ${answer.status} ${answer.code}`)
    await sleep(200)
  }
}

/** Creates a member who signs in in three ways, and whose sessions end again. */
export function createMember(id: string, parts: Parts): Participant {
  const { ask, random, project, admin, isOver } = parts
  const membership = new Claim()
  const permission = aboutMember(project, id, membership)
  let open: readonly Question[] = []
  let ended: readonly Question[] = []

  /** Ends, by one request, the claims of the given questions, and the other given claims. */
  const end = async (
    questions: readonly Question[],
    request: () => Promise<void>,
    more: readonly Claim[] = [],
  ) => {
    const claims = new Set([...questions.map(({ claim }) => claim), ...more])
    for (const claim of claims) claim.become('ending')
    await request()
    for (const claim of claims) claim.become('ended')
    open = open.filter((question) => !questions.includes(question))
    ended = [...ended, ...questions].slice(-maxEnded)
  }

  const logOut = () => {
    const own = open.filter(({ kind }) => kind === 'validate')
    const body = own[0]?.body
    if (!body) return Promise.resolve()
    const request = () => ask('POST', '/api/auth/logout', { key: project.key, body: JSON.parse(body) })
    // Also accepts 401: if the first attempt had no response, the second one finds that the session has ended.
    return end(own, () => acknowledged(parts, request, (answer) => isOk(answer) || answer.status === 401))
  }
  const logOutAll = () =>
    end(open, () =>
      acknowledged(
        parts,
        () => ask('POST', '/api/auth/logout-all', { key: project.key, body: { memberId: id } }),
        isOk,
      ),
    )
  const blockForAWhile = async () => {
    const path = `/api/admin/members/${id}/block`
    const block = () => ask('PUT', path, { token: admin.token, body: { reason: 'Strict' } })
    await end(open, () => acknowledged(parts, block, isOk), [membership])
    await sleep(random.between(500, 3_000))
    const unblock = () => ask('DELETE', path, { token: admin.token })
    membership.become('starting')
    await acknowledged(parts, unblock, (answer) => isOk(answer) || answer.status === 404)
    membership.become('live')
  }

  return {
    questions: () => [...permission, ...open, ...ended],
    async live() {
      while (!isOver()) {
        open = [...open, ...(await signIn(id, parts, open))]
        await sleep(random.between(3_000, 30_000))
        await random.weighted([
          [3, logOut],
          [2, logOutAll],
          [2, blockForAWhile],
        ] as const)()
      }
    },
  }
}

/** Signs in in each way that is missing in `open`. If an outage prevents a sign-in, it is tried again later. */
async function signIn(id: string, parts: Parts, open: readonly Question[]): Promise<Question[]> {
  const { project } = parts
  const has = (kind: Question['kind']) => open.some((question) => question.kind === kind)
  const session = has('validate') ? undefined : await apiSession(id, parts)
  const access = has('userinfo') ? undefined : await accessToken(id, parts)
  const cookie = has('forward-auth') ? undefined : await hostCookie(id, parts)
  return [
    ...(session ? aboutSession(project, session, new Claim()) : []),
    ...(access ? aboutAccessToken(project, access, new Claim()) : []),
    ...(cookie ? aboutHostSession(cookie, new Claim()) : []),
  ]
}

async function apiSession(id: string, { ask, logins, project }: Parts): Promise<string | undefined> {
  const code = await logins.ofProject(project, { id })
  if (!code) return undefined
  const body = { clientId: project.id, code, redirectUri }
  const answer = await ask('POST', '/api/auth/token', { key: project.key, body })
  return answer.status === 200 ? textOf(answer.body, 'token') : undefined
}

async function accessToken(id: string, { ask, logins, project }: Parts): Promise<string | undefined> {
  const uri = { client_id: project.id, redirect_uri: redirectUri }
  const query = { ...uri, response_type: 'code', scope: 'openid profile roles', state: 's' }
  const code = await logins.codeOf(`/oidc/auth?${new URLSearchParams(query)}`, { id })
  if (!code) return undefined
  const form = { grant_type: 'authorization_code', code, redirect_uri: redirectUri }
  const answer = await ask('POST', '/oidc/token', { form, headers: { authorization: basic(project) } })
  return answer.status === 200 ? textOf(answer.body, 'access_token') : undefined
}

/** Signs in through the pages of a protected host, as a browser behind its proxy does. */
async function hostCookie(id: string, { ask, logins }: Parts): Promise<string | undefined> {
  const start = await ask('GET', '/_rolecall/start?rd=%2Fpage', { headers: proxyHeaders })
  const authorize = start.headers.get('location')
  if (!authorize) return undefined
  const { pathname, search } = new URL(authorize)
  const back = await logins.addressAfter(pathname + search, { id })
  if (!back) return undefined
  const cookie = cookieOf(start)
  const done = await ask('GET', back.pathname + back.search, { headers: { ...proxyHeaders, cookie } })
  return cookieOf(done).match(/__Host-rolecall=[^;]+/)?.[0]
}

const cookieOf = ({ headers }: Answer) =>
  headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ')
