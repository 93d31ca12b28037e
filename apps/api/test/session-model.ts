import fc from 'fast-check'

/** The state of a session, as far as responses show it. */
interface ModelSession {
  readonly member: string
  readonly project: number
  id: string
  token: string
  refreshToken: string
  readonly spent: { token: string; refreshToken: string }[]
  isLive: boolean
}

/** The expected state of the service, in its simplest form. */
interface Model {
  readonly sessions: ModelSession[]
}

/** The service over HTTP. Each result contains `ok`, or the code of the refusal. */
export interface Real {
  issue(member: string, project: number): Promise<{ id: string; token: string; refreshToken: string }>
  validate(project: number, token: string): Promise<{ outcome: string; member?: string; id?: string }>
  refresh(
    token: string,
    refreshToken: string,
  ): Promise<{ outcome: string; token?: string; refreshToken?: string }>
  logout(project: number, token: string): Promise<string>
  logoutAll(project: number, member: string): Promise<string>
  revoke(token: string, id: string): Promise<string>
  list(token: string): Promise<{ outcome: string; ids?: string[] }>
  leave(member: string): Promise<void>
}

type Step = fc.AsyncCommand<Model, Real>

/** Creates a step. `picks` choose among the existing sessions, so that every shrunk sequence stays valid. */
function step(
  name: string,
  picks: number[],
  run: (model: Model, real: Real, chosen: ModelSession[]) => Promise<void>,
): Step {
  return {
    check: ({ sessions }) => picks.length === 0 || sessions.length > 0,
    run: (model, real) =>
      run(
        model,
        real,
        picks.map((pick) => model.sessions[pick % model.sessions.length] as ModelSession),
      ),
    toString: () => `${name}(${picks.join(', ')})`,
  }
}

function expectEqual(actual: unknown, expected: unknown) {
  const [a, e] = [JSON.stringify(actual), JSON.stringify(expected)]
  if (a !== e) throw new Error(`The service answered ${a} where the model says ${e}.`)
}

const end = (sessions: readonly ModelSession[]) => {
  for (const session of sessions) session.isLive = false
}

const issue = (member: string, project: number): Step =>
  step(`issue ${member} ${project}`, [], async (model, real) => {
    model.sessions.push({ member, project, ...(await real.issue(member, project)), spent: [], isLive: true })
  })

const validate = (pick: number, project: number): Step =>
  step(`validate at ${project}`, [pick], async (_, real, [s]) => {
    if (!s) return
    const good = s.isLive && s.project === project
    const expected = good ? { outcome: 'ok', member: s.member, id: s.id } : { outcome: 'INVALID_TOKEN' }
    expectEqual(await real.validate(project, s.token), expected)
    for (const { token } of s.spent)
      expectEqual(await real.validate(s.project, token), { outcome: 'INVALID_TOKEN' })
  })

const refresh = (pick: number): Step =>
  step('refresh', [pick], async (_, real, [s]) => {
    if (!s) return
    const { outcome, token = '', refreshToken = '' } = await real.refresh(s.token, s.refreshToken)
    expectEqual(outcome, s.isLive ? 'ok' : 'INVALID_TOKEN')
    if (!s.isLive) return
    s.spent.push({ token: s.token, refreshToken: s.refreshToken })
    Object.assign(s, { token, refreshToken })
  })

const refreshWithAnothers = (pick: number, other: number): Step =>
  step('refreshWithAnothers', [pick, other], async (_, real, [s, o]) => {
    if (!s || !o || s === o) return
    const { outcome } = await real.refresh(s.token, o.refreshToken)
    expectEqual(outcome, s.isLive ? 'INVALID_REFRESH_TOKEN' : 'INVALID_TOKEN')
  })

const replay = (pick: number, generation: number): Step =>
  step(`replay ${generation}`, [pick], async (_, real, [s]) => {
    const pair = s?.spent.at(-1 - (generation % Math.max(1, s.spent.length)))
    if (!s || !pair) return
    const isJustSuperseded = pair === s.spent.at(-1)
    const { outcome } = await real.refresh(pair.token, pair.refreshToken)
    const expected = isJustSuperseded ? 'REFRESH_TOKEN_SUPERSEDED' : 'REFRESH_TOKEN_REUSED'
    expectEqual(outcome, s.isLive ? expected : 'INVALID_TOKEN')
    if (!isJustSuperseded) end([s])
  })

const logout = (pick: number, project: number, by: 'token' | 'refreshToken' | 'spent'): Step =>
  step(`logout at ${project} by ${by}`, [pick], async (_, real, [s]) => {
    if (!s) return
    const token = by === 'spent' ? (s.spent[0]?.token ?? s.token) : s[by]
    expectEqual(await real.logout(project, token), 'ok')
    if (s.project === project) end([s])
  })

const logoutAll = (member: string, project: number): Step =>
  step(`logoutAll ${member} ${project}`, [], async ({ sessions }, real) => {
    expectEqual(await real.logoutAll(project, member), 'ok')
    end(sessions.filter((s) => s.member === member && s.project === project))
  })

const revoke = (pick: number, target: number): Step =>
  step('revoke', [pick, target], async (_, real, [s, t]) => {
    if (!s || !t) return
    const isOwn = t.isLive && t.member === s.member
    expectEqual(
      await real.revoke(s.token, t.id),
      !s.isLive ? 'INVALID_TOKEN' : isOwn ? 'ok' : 'SESSION_NOT_FOUND',
    )
    if (s.isLive && isOwn) end([t])
  })

const list = (pick: number): Step =>
  step('list', [pick], async ({ sessions }, real, [s]) => {
    if (!s) return
    const { outcome, ids = [] } = await real.list(s.token)
    expectEqual(outcome, s.isLive ? 'ok' : 'INVALID_TOKEN')
    const own = sessions.filter((one) => one.isLive && one.member === s.member).map(({ id }) => id)
    if (s.isLive) expectEqual([...ids].sort(), own.sort())
  })

const leave = (member: string): Step =>
  step(`leave ${member}`, [], async ({ sessions }, real) => {
    await real.leave(member)
    end(sessions.filter((s) => s.member === member))
  })

/** Generates sequences of all operations on sessions of these members at two projects. */
export function sessionSteps(members: readonly string[]) {
  const member = fc.constantFrom(...members)
  const project = fc.nat(1)
  const pick = fc.nat(30)
  const by = fc.constantFrom('token' as const, 'refreshToken' as const, 'spent' as const)
  const often = (weight: number, arbitrary: fc.Arbitrary<Step>) => ({ weight, arbitrary })
  return fc.commands(
    [
      fc.oneof(
        often(
          4,
          fc.tuple(member, project).map((args) => issue(...args)),
        ),
        often(
          6,
          fc.tuple(pick, project).map((args) => validate(...args)),
        ),
        often(5, pick.map(refresh)),
        often(
          1,
          fc.tuple(pick, pick).map((args) => refreshWithAnothers(...args)),
        ),
        often(
          2,
          fc.tuple(pick, fc.nat(3)).map((args) => replay(...args)),
        ),
        often(
          2,
          fc.tuple(pick, project, by).map((args) => logout(...args)),
        ),
        often(
          1,
          fc.tuple(member, project).map((args) => logoutAll(...args)),
        ),
        often(
          2,
          fc.tuple(pick, pick).map((args) => revoke(...args)),
        ),
        often(2, pick.map(list)),
        often(1, member.map(leave)),
      ),
    ],
    { maxCommands: 60, size: 'max' },
  )
}
