import type { explain as contract } from '@rolecall/contract'
import type { ChatMember, ChatServerInfo } from '#chat/chat-platform'
import { memberTerms } from '#mirror/freshness'
import { readTime } from '#platform/db/read-time'
import { rolesHeld, toRoles } from '#responses/roles'
import type { Read } from '#session-memory/memory'
import { answerOf, sessionAt } from '#session-memory/session'
import type { Step } from '../../checks/check.ts'
import { freshestRoles } from '../../checks/freshest-roles.ts'
import type { Deps } from '../../deps.ts'
import { assumed, mirrored, newcomer } from './assume.ts'
import type { Decisions, MembershipResult } from './decisions.ts'
import { type Rehearsed, rehearseLogin } from './rehearse-login.ts'
import { findPlace, type KnownPlace } from './store.ts'

export type ExplainDeps = Pick<Deps, 'db' | 'chat' | 'config' | 'settings'> & {
  readonly decisions: Decisions
}

/** The roles of a member, with their source and age. */
type Known = Pick<contract.Explanation, 'roles' | 'rolesAsOf' | 'rolesSource'>

/** A sign-in to explain: its member, project, and server, and the assumptions to apply. */
export interface AskedLogin {
  readonly memberId: string
  readonly projectId: string
  readonly serverId: string
  readonly redirectUri: string | undefined
  readonly assume: contract.ExplainRequest['assume']
}

export interface ExplainedLogin {
  /** The steps of authorize and callback. */
  readonly before: readonly Step[]
  /** The result of the rehearsal; undefined if it could not run. */
  readonly rehearsed: Rehearsed | undefined
  readonly result: MembershipResult
  /** Undefined if the person is not a member there. */
  readonly member: ChatMember | undefined
  /** The roles from the platform or the mirror, used if there is no session to read them from. */
  readonly known: Known
}

/** Asks the platform about one member of a server; `askedOnce` caches the answers for an explanation. */
export type Ask = (serverId: string) => Promise<MembershipResult>

/**
 * Explains a sign-in in one server, up to its session. The checks of authorize and callback read the data that is
 * readable without a sign-in. Then the sign-in itself is rehearsed, so that its statements decide, too.
 */
export async function explainLogin(deps: ExplainDeps, asked: AskedLogin, ask: Ask): Promise<ExplainedLogin> {
  const { db, decisions } = deps
  const { memberId, projectId, serverId, assume } = asked
  const authorized = await decisions.authorize({ projectId, serverId, redirectUri: asked.redirectUri })
  const place = await findPlace(db, serverId, memberId)
  const askedAt = await readTime(db)
  const result = await ask(serverId)
  const member = assumed(result.failure ? mirrored(memberId, place) : result.member, assume, () =>
    newcomer(memberId, place),
  )
  const isBot = member?.user.isBot
  const isBlocked = await decisions.isBlocked(memberId)
  const callback = decisions.callback({ failure: result.failure, member, isBot, isBlocked })

  const { mayLogIn, redirectUri } = authorized
  const asOf = result.failure ? (place?.syncedAt ?? 'now') : askedAt
  const rehearsed =
    mayLogIn && redirectUri !== undefined && member && !isBot && !isBlocked
      ? await rehearseLogin(deps, {
          ...{ projectId, serverId, memberId, redirectUri },
          membership: result.failure && !assume ? undefined : { member, asOf },
          server: await unknownRoles(deps, serverId, place, member.roleIds),
        })
      : undefined
  return {
    before: [...authorized.steps, ...callback],
    ...{ rehearsed, result, member },
    known: {
      roles: rolesHeld(member?.roleIds ?? [], toRoles(place?.roles ?? [])),
      rolesAsOf: (result.failure ? place?.syncedAt : askedAt)?.toISOString() ?? null,
      rolesSource: result.failure ? (place?.syncedAt ? 'mirror' : null) : 'rest',
    },
  }
}

/** Asks the platform about a member, at most once per server, and stores nothing. */
export function askedOnce({ chat, decisions }: ExplainDeps, memberId: string): Ask {
  const answers = new Map<string, Promise<MembershipResult>>()
  const ask = async (serverId: string): Promise<MembershipResult> => {
    if (serverId === '') return { failure: 'server_error' }
    try {
      return { member: await chat.member(serverId, memberId, 'login') }
    } catch (error) {
      return { failure: decisions.failureOf(error) }
    }
  }
  return (serverId) => {
    const answer = answers.get(serverId) ?? ask(serverId)
    answers.set(serverId, answer)
    return answer
  }
}

/** Reads the server from the platform if the mirror lacks a role of the member; a sign-in would read it, too. */
async function unknownRoles(
  { db, chat, decisions }: ExplainDeps,
  serverId: string,
  place: KnownPlace | undefined,
  roleIds: readonly string[],
): Promise<{ readonly info: ChatServerInfo; readonly asOf: Date } | undefined> {
  const known = new Set(place?.roles.map(({ id }) => id))
  if (roleIds.every((id) => known.has(id))) return undefined
  const asOf = await readTime(db)
  try {
    return { info: await chat.server(serverId, 'login'), asOf }
  } catch (error) {
    decisions.failureOf(error)
    // Uses known names if the platform does not answer, as a sign-in does.
    return undefined
  }
}

/**
 * Explains the steps after the code: exchange and validate. The first of them check a key of the project, if one is
 * required.
 */
export async function explainSession(
  deps: ExplainDeps,
  { rehearsed, result }: Pick<ExplainedLogin, 'rehearsed' | 'result'>,
  key: readonly Step[],
): Promise<{ steps: readonly Step[]; known?: Known }> {
  const { decisions } = deps
  if (!rehearsed) return { steps: key }
  const coded = [...decisions.code(rehearsed.code), ...key]
  if (rehearsed.code === undefined) return { steps: coded }
  const redeemed = [...coded, ...decisions.redeem(rehearsed.redeemed)]
  if (!rehearsed.read) return { steps: redeemed }
  const validated = await validate(deps, rehearsed.read, result)
  return { ...validated, steps: [...redeemed, ...validated.steps] }
}

/** Returns the steps that validate would run for the session. */
async function validate(
  { settings, decisions }: ExplainDeps,
  read: Read,
  result: MembershipResult,
): Promise<{ steps: readonly Step[]; known?: Known }> {
  const isLive = decisions.session(read)
  if (!read.session) return { steps: isLive }
  const at = sessionAt(read.session, read.nowMs)
  const terms = memberTerms(settings.current().permissionTtlMs)
  const areKnown = decisions.rolesKnown({ mirrored: at, terms })
  const steps = [...isLive, ...areKnown]
  if (areKnown.some(({ ok }) => !ok)) return { steps }
  const { source } = await freshestRoles({
    known: at,
    terms,
    // The platform was asked just now.
    refresh: async () => (result.failure ? 'unavailable' : 'fresh'),
    reread: async () => at,
  })
  const { roles, rolesAsOf, rolesSource }: Known = JSON.parse(answerOf(at, source))
  return { steps, known: { roles, rolesAsOf, rolesSource } }
}
