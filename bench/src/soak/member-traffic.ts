import { type ChatSim, demo } from '@rolecall/chat-sim'
import { type Answer, listOf, textOf } from './answer.ts'
import { heldWithin, type Ledger, type Member, type Project, type Session, sorted } from './ledger.ts'
import { type Logins, redirectUri } from './logins.ts'
import { club } from './place.ts'
import type { Random } from './random.ts'
import type { Ask } from './requests.ts'
import type { Verdicts } from './verdicts.ts'

interface Parts {
  readonly ask: Ask
  readonly sim: ChatSim
  readonly ledger: Ledger
  readonly logins: Logins
  readonly verdicts: Verdicts
  readonly random: Random
  readonly projects: readonly [Project, Project]
  readonly admin: { readonly token: string }
}

const { crew, deckhand, guest, captain, quiet } = demo.roles
const given = [crew, deckhand, guest, captain, quiet]
/** The maximum number of sessions per member, so that the stored data does not grow during the run. */
const maxSessions = 3
/**
 * The maximum delay of a change, in milliseconds. The guarantee is one second. This also allows for a busy machine.
 */
const lateMs = 10_000
/**
 * The age, in milliseconds, at which the service reads roles again while the gateway is not connected. After several
 * failures, the gateway connects only after growing delays.
 */
const permissionTtlMs = 60_000

/**
 * Simulates sites and their members, and changes at the platform. After each action, it checks the effect.
 */
export function memberTraffic({ ask, sim, ledger, logins, verdicts, random, projects, admin }: Parts) {
  const [watched] = projects
  const asKey = ({ project }: Session) => project.key

  const end = (session: Session) => {
    // Expects an event only for a session with a known pair. With an outdated pair, the request may have ended
    // nothing.
    if (session.state === 'live' && session.project === watched && session.id !== '')
      ledger.revoked.set(session.id, Date.now())
    session.state = 'ended'
  }
  const whichAre = (member: Member, ...states: Session['state'][]) =>
    member.sessions.filter(({ state }) => states.includes(state))
  const nameOf = (session: Session) => `session ${session.id} (${session.state})`

  /** Validates a session, and compares the response with its expected state. */
  async function validate(member: Member, session: Session, at?: number): Promise<Answer> {
    const asked = Date.now()
    const answer = await ask('POST', '/api/auth/validate', {
      key: asKey(session),
      body: { token: session.token },
      ...(at !== undefined && { at }),
    })
    if (answer.status === 200) judgeGood(member, session, answer, asked)
    else if (answer.status === 401 && answer.code === 'INVALID_TOKEN') {
      if (session.state === 'live') verdicts.broken(`a live ${nameOf(session)} was refused`)
      session.state = 'ended'
    } else if (answer.status !== 0 && answer.status !== 503)
      verdicts.broken(`validate returned ${answer.status} ${answer.code}`)
    return answer
  }

  function judgeGood(member: Member, session: Session, { body, at }: Answer, asked: number) {
    if (session.state === 'ended') {
      verdicts.broken(`a ${nameOf(session)} that was ended validates at instance ${at}`)
      return
    }
    session.id = textOf(body, 'session', 'id')
    if (textOf(body, 'member', 'id') !== member.id) verdicts.broken(`${nameOf(session)} is another member's`)
    const source = textOf(body, 'rolesSource')
    ledger.count(`responses with roles from \`${source}\``)
    const isTooLate = (ms: number) => isOlderThanPromised(source, ms)
    const { leftAt } = member
    if (leftAt !== undefined) {
      if (isTooLate(asked - leftAt))
        verdicts.broken(`a member who left ${asked - leftAt} ms ago is valid by the ${source}`)
      return
    }
    const roles = sorted(listOf(body, 'roles').map((role) => textOf(role, 'roleId')))
    const asOf = Date.parse(textOf(body, 'rolesAsOf'))
    if (!heldWithin(member, roles, asOf - 100, Date.now()))
      verdicts.broken(
        `roles ${roles} as of ${new Date(asOf).toISOString()} were never true since: ${source} at instance ${at}; true of ${member.id} is ${JSON.stringify(member.history.slice(-3))}`,
      )
    const newest = member.history.at(-1)
    if (newest && newest.roles !== roles && isTooLate(asked - newest.from))
      verdicts.broken(`roles by the ${source} are ${asked - newest.from} ms late`)
  }

  /**
   * Returns true if the roles in a response are older than their source permits. Stored roles may be old while the
   * platform is unreachable.
   */
  function isOlderThanPromised(source: string, ms: number): boolean {
    if (source === 'mirror' || !verdicts.isCalm(lateMs)) return false
    return ms > (source === 'gateway' ? lateMs : permissionTtlMs + lateMs)
  }

  /** Checks that every instance rejects an ended session. */
  async function expectGone(member: Member, session: Session) {
    await Promise.all([validate(member, session, 0), validate(member, session, 1)])
  }

  async function logIn(member: Member) {
    const project = random.one(projects)
    const mayEnter = member.leftAt === undefined && !member.isBlocked
    const code = await logins.ofProject(project, member, mayEnter)
    if (code === undefined) return
    if (member.isBlocked) verdicts.broken('a blocked member received a code')
    const body = { clientId: project.id, code, redirectUri }
    const answer = await ask('POST', '/api/auth/token', { key: project.key, body })
    if (answer.status === 200) {
      const session: Session = {
        project,
        id: '',
        token: textOf(answer.body, 'token'),
        refreshToken: textOf(answer.body, 'refreshToken'),
        state: mayEnter ? 'live' : 'unsure',
      }
      member.sessions.push(session)
      ledger.count('sign-ins')
      await validate(member, session)
      return
    }
    if (answer.status !== 0 && answer.status !== 503 && mayEnter)
      verdicts.broken(`an exchange of a fresh code returned ${answer.status} ${answer.code}`)
  }

  /**
   * Exchanges the same code twice at the same time. One exchange succeeds, and the other one ends the session of the
   * first.
   */
  async function exchangeTwice(member: Member) {
    if (member.leftAt !== undefined || member.isBlocked) return
    const project = random.one(projects)
    const code = await logins.ofProject(project, member)
    if (code === undefined) return
    const body = { clientId: project.id, code, redirectUri }
    const answers = await Promise.all(
      [0, 1].map((at) => ask('POST', '/api/auth/token', { key: project.key, body, at })),
    )
    const won = answers.filter(({ status }) => status === 200)
    if (won.length > 1) verdicts.broken('one code was exchanged twice')
    const [first] = won
    if (!first || !answers.some(({ code: reason }) => reason === 'INVALID_CODE')) return
    const token = textOf(first.body, 'token')
    const session: Session = { project, id: '', token, refreshToken: '', state: 'ended' }
    await expectGone(member, session)
    ledger.count('codes presented twice')
  }

  async function logOut(member: Member) {
    const [session] = whichAre(member, 'live', 'unsure')
    if (!session) return
    const answer = await ask('POST', '/api/auth/logout', {
      key: asKey(session),
      body: { token: session.token },
    })
    if (answer.status !== 200) {
      session.state = 'unsure'
      return
    }
    end(session)
    ledger.count('sign-outs')
    await expectGone(member, session)
  }

  async function logOutAll(member: Member) {
    const project = random.one(projects)
    const own = whichAre(member, 'live', 'unsure').filter((one) => one.project === project)
    const answer = await ask('POST', '/api/auth/logout-all', {
      key: project.key,
      body: { memberId: member.id },
    })
    for (const session of own) {
      if (answer.status === 200) end(session)
      else session.state = 'unsure'
    }
    if (answer.status !== 200) return
    ledger.count('sign-outs of all sessions')
    for (const session of own) await expectGone(member, session)
  }

  async function revoke(member: Member) {
    const [session] = whichAre(member, 'live').filter(({ id }) => id !== '')
    if (!session) return
    const path = random.chance(0.5) ? `/api/auth/sessions/${session.id}` : '/api/auth/sessions'
    const ended = path.endsWith('sessions') ? whichAre(member, 'live', 'unsure') : [session]
    const answer = await ask('DELETE', path, { token: session.token })
    for (const one of ended) {
      if (answer.status === 204) end(one)
      else one.state = 'unsure'
    }
    if (answer.status !== 204) return
    ledger.count('revocations')
    for (const one of ended) await expectGone(member, one)
  }

  /** Refreshes a session, sometimes with two requests at the same time, of which at most one may succeed. */
  async function refresh(member: Member) {
    const [session] = whichAre(member, 'live')
    if (!session || session.refreshToken === '') return
    const { token, refreshToken } = session
    const once = (at: number) => ask('POST', '/api/auth/token/refresh', { token, body: { refreshToken }, at })
    const answers = random.chance(0.3) ? await Promise.all([once(0), once(1)]) : [await once(random.below(2))]
    const won = answers.filter(({ status }) => status === 200)
    if (won.length > 1) verdicts.broken('one pair was refreshed twice')
    const [first] = won
    if (!first) {
      // If no request was accepted, the client sends the pair once more. The result of that is final.
      const again = answers.every(({ status }) => status === 0 || status === 503)
        ? await once(random.below(2))
        : undefined
      if (again?.status === 200) return take(member, session, again)
      if (again?.code === 'REFRESH_TOKEN_SUPERSEDED' || again?.code === 'INVALID_TOKEN') {
        // The refresh succeeded, but its response was lost. The old pair is invalid, and no client has the new pair.
        session.state = 'ended'
        await expectGone(member, session)
      } else {
        if (again === undefined) verdicts.broken(`refresh of a live pair: ${answers.map(({ code }) => code)}`)
        session.state = 'unsure'
      }
      return
    }
    await take(member, session, first)
  }

  async function take(member: Member, session: Session, { body }: Answer) {
    const before: Session = { ...session, state: 'ended' }
    session.token = textOf(body, 'accessToken')
    session.refreshToken = textOf(body, 'refreshToken')
    if (session.project === watched && session.id !== '') ledger.rotated.add(session.id)
    ledger.count('refreshes')
    await expectGone(member, before)
    await validate(member, session)
  }

  async function changeRoles(member: Member) {
    if (member.leftAt !== undefined) return
    const roles = given.filter(() => random.chance(0.4))
    member.history.push({ from: Date.now(), roles: sorted(roles) })
    if (member.history.length > 50) member.history.splice(0, 25)
    sim.world.setRoles(club, member.id, roles)
    ledger.count('role changes')
  }

  /**
   * Lets a member leave the server, or return to it. The member returns only when the service has reported the
   * departure, and the gateway has no events to replay. Otherwise, the replay would report the departure once more,
   * which would end the sessions that began in the meantime (docs/decisions/0013-live-mirror.md).
   */
  async function leaveOrReturn(member: Member) {
    if (member.isBlocked) return
    if (member.leftAt === undefined) {
      member.leftAt = Date.now()
      for (const session of whichAre(member, 'live')) session.state = 'unsure'
      sim.world.removeMember(club, member.id)
      ledger.count('departures')
      return
    }
    const open = whichAre(member, 'unsure', 'live')
    for (const session of open) await validate(member, session)
    if (whichAre(member, 'unsure', 'live').length > 0 || !verdicts.isCalm(lateMs)) return
    const roles = [crew]
    member.history.push({ from: Date.now(), roles: sorted(roles) })
    sim.world.addMember(club, member.id, { roles })
    member.leftAt = undefined
  }

  async function blockOrUnblock(member: Member) {
    if (member.leftAt !== undefined) return
    const path = `/api/admin/members/${member.id}/block`
    const { token } = admin
    const before = whichAre(member, 'live', 'unsure')
    if (before.length === 0 && !member.isBlocked) return
    const answer = member.isBlocked
      ? await ask('DELETE', path, { token })
      : await ask('PUT', path, { token, body: { reason: 'Soak' } })
    if (answer.status !== 200 && answer.status !== 204) {
      // It is not known whether the member is blocked now. So their sessions may have ended.
      for (const session of before) session.state = 'unsure'
      ledger.unansweredWrites.add(answer.requestId)
      if (!member.isBlocked) await unblock(member, token)
      return
    }
    ledger.writes.set(answer.requestId, member.isBlocked ? 'unblock' : 'block')
    member.isBlocked = !member.isBlocked
    if (!member.isBlocked) return
    for (const session of before) end(session)
    ledger.count('blocks')
    for (const session of before) await expectGone(member, session)
  }

  /** Unblocks a member. Retries until the service acknowledges it, because the run needs members with a known state. */
  async function unblock(member: Member, token: string) {
    member.isBlocked = true
    for (let tries = 0; tries < 200; tries++) {
      const answer = await ask('DELETE', `/api/admin/members/${member.id}/block`, { token })
      if (answer.status === 204) {
        member.isBlocked = false
        return
      }
      await new Promise((resolve) => setTimeout(resolve, 250))
    }
  }

  async function validateAll(member: Member) {
    for (const session of member.sessions) await validate(member, session)
    // Keeps validating the newest ended sessions, and forgets the others.
    const ended = whichAre(member, 'ended')
    for (const one of ended.slice(0, -5)) member.sessions.splice(member.sessions.indexOf(one), 1)
  }

  const acts: readonly (readonly [weight: number, act: (member: Member) => Promise<void>])[] = [
    [60, validateAll],
    [
      12,
      (member) => (whichAre(member, 'live', 'unsure').length < maxSessions ? logIn(member) : logOut(member)),
    ],
    [1, exchangeTwice],
    [4, logOut],
    [2, logOutAll],
    [2, revoke],
    [8, refresh],
    [8, changeRoles],
    [2, leaveOrReturn],
    [1.5, blockOrUnblock],
  ]
  return { act: () => ledger.withMember((member) => random.weighted(acts)(member)), validate, end }
}

export type MemberTraffic = ReturnType<typeof memberTraffic>
