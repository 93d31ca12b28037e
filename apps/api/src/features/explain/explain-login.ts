import type { explain as contract } from '@rolecall/contract'
import type { ChatMember, ChatServerInfo } from '#chat/chat-platform'
import { memberTerms } from '#mirror/freshness'
import { readTime } from '#platform/db/read-time'
import { rolesHeld, toRoles } from '#responses/roles'
import type { Read } from '#session-memory/facts-of-rows'
import { sessionAt, toResponseJson } from '#session-memory/session'
import type { Step } from '../../checks/check.ts'
import { freshestRoles } from '../../checks/freshest-roles.ts'
import type { Deps } from '../../deps.ts'
import { assumed, mirrored, newcomer } from './assume.ts'
import type { Decisions, MembershipResult } from './decisions.ts'
import { type Rehearsed, rehearseLogin } from './rehearse-login.ts'
import { findPlace, type KnownPlace } from './store.ts'

/** The dependencies of an explanation. */
export type ExplainDeps = Pick<Deps, 'db' | 'chat' | 'config' | 'settings'> & {
  readonly decisions: Decisions
}

/** The roles of a member, with their source and age. */
type Known = Pick<contract.Explanation, 'roles' | 'rolesAsOf' | 'rolesSource'>

/** The sign-in to explain, with the changes at Discord to assume. */
export interface ExplainRequest {
  readonly memberId: string
  readonly projectId: string
  readonly serverId: string
  readonly redirectUri: string | undefined
  readonly assume: contract.ExplainRequest['assume']
}

/** A sign-in that was explained up to its session. */
export interface ExplainedLogin {
  /** The steps before the session: those of `authorize` and of the callback. */
  readonly before: readonly Step[]
  /** The result of the rehearsed sign-in. Undefined if an earlier step fails, so that there is nothing to rehearse. */
  readonly rehearsed: Rehearsed | undefined
  /** Discord's response about the member. */
  readonly result: MembershipResult
  /** The member after the assumed changes. Undefined if the person is not a member of the server. */
  readonly member: ChatMember | undefined
  /** The roles from Discord or the mirror, for an explanation without a session. */
  readonly known: Known
}

/** Asks Discord about the member in a server. */
export type ReadMembership = (serverId: string) => Promise<MembershipResult>

/**
 * Explains a sign-in in one server, up to its session. First runs the checks of `authorize` and of the callback, with
 * current data. If they pass, rehearses the sign-in in a transaction that is rolled back, so that the statements of the
 * sign-in decide, too.
 */
export async function explainLogin(
  deps: ExplainDeps,
  input: ExplainRequest,
  readMembership: ReadMembership,
): Promise<ExplainedLogin> {
  const { db, decisions } = deps
  const { memberId, projectId, serverId, assume } = input
  const authorized = await decisions.authorize({ projectId, serverId, redirectUri: input.redirectUri })
  const place = await findPlace(db, serverId, memberId)
  const requestedAt = await readTime(db)
  const result = await readMembership(serverId)
  const member = assumed(result.failure ? mirrored(memberId, place) : result.member, assume, () =>
    newcomer(memberId, place),
  )
  const isBot = member?.user.isBot
  const isBlocked = await decisions.isBlocked(memberId)
  const callback = decisions.callback({ failure: result.failure, member, isBot, isBlocked })

  const { mayLogIn, redirectUri } = authorized
  const asOf = result.failure ? (place?.syncedAt ?? 'now') : requestedAt
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
      rolesAsOf: (result.failure ? place?.syncedAt : requestedAt)?.toISOString() ?? null,
      rolesSource: result.failure ? (place?.syncedAt ? 'mirror' : null) : 'rest',
    },
  }
}

/** Creates the function that asks Discord about a member. It asks at most once per server, and stores nothing. */
export function readMembershipOnce({ chat, decisions }: ExplainDeps, memberId: string): ReadMembership {
  const results = new Map<string, Promise<MembershipResult>>()
  const ask = async (serverId: string): Promise<MembershipResult> => {
    if (serverId === '') return { failure: 'server_error' }
    try {
      return { member: await chat.member(serverId, memberId, 'login') }
    } catch (error) {
      return { failure: decisions.failureOf(error) }
    }
  }
  return (serverId) => {
    const answer = results.get(serverId) ?? ask(serverId)
    results.set(serverId, answer)
    return answer
  }
}

/**
 * Reads the server from Discord if the mirror lacks a role of the member, as a sign-in does. Otherwise returns
 * undefined.
 */
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
    // If Discord does not respond, the roles in the mirror are used, as in a sign-in.
    return undefined
  }
}

/**
 * Explains the steps after the callback: the code, the exchange, and `validate`. `key` are the steps that check the
 * project's key. They are empty for a way to sign in that needs no key.
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

/** Returns the steps of `validate` for the rehearsed session, and the roles that it would return. */
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
    // Discord was asked a moment ago, so this returns the result of that request.
    refresh: async () => (result.failure ? 'unavailable' : 'fresh'),
    reread: async () => at,
  })
  const { roles, rolesAsOf, rolesSource }: Known = JSON.parse(toResponseJson(at, source))
  return { steps, known: { roles, rolesAsOf, rolesSource } }
}
