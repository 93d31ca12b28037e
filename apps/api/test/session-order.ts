/** A request about one session. `generation` is the number of a pair. Requests use pairs from before the race. */
export interface SessionRequest {
  readonly kind: 'refresh' | 'refreshWithForeign' | 'logout' | 'foreignLogout'
  readonly generation: number
  /** The value that a logout sends. */
  readonly by: 'token' | 'refreshToken'
}

export interface SessionAnswer extends SessionRequest {
  /** `ok`, or the code of the refusal. */
  readonly outcome: string
}

interface State {
  readonly isLive: boolean
  /** The generation of the current pair. */
  readonly current: number
}

/** The final state of a session, as far as responses and rows show it. */
export interface End extends State {
  readonly isReused: boolean
}

/** The refusals for an ended session. A refresh reads several times, so the session may end in between. */
const overRefusals = ['INVALID_TOKEN', 'INVALID_REFRESH_TOKEN', 'REFRESH_TOKEN_REUSED']

/** Returns the state after a request, or undefined if a session in this state cannot give that response. */
function stateAfter(
  state: State,
  { kind, generation, outcome }: SessionAnswer,
): (State & { ends?: 'reuse' }) | undefined {
  if (kind === 'logout') return outcome === 'ok' ? { ...state, isLive: false } : undefined
  if (kind === 'foreignLogout') return outcome === 'ok' ? state : undefined
  if (!state.isLive) return overRefusals.includes(outcome) ? state : undefined
  if (kind === 'refreshWithForeign') {
    const expected = generation === state.current ? 'INVALID_REFRESH_TOKEN' : 'INVALID_TOKEN'
    return outcome === expected ? state : undefined
  }
  if (generation === state.current)
    return outcome === 'ok' ? { ...state, current: state.current + 1 } : undefined
  if (generation === state.current - 1) return outcome === 'REFRESH_TOKEN_SUPERSEDED' ? state : undefined
  return outcome === 'REFRESH_TOKEN_REUSED' ? { ...state, isLive: false, ends: 'reuse' } : undefined
}

/** Returns true if the requests, in some order one after another, can have these responses and this final state. */
export function isSequential(start: State, answers: readonly SessionAnswer[], end: End): boolean {
  const search = (state: State, left: readonly SessionAnswer[], isReused: boolean): boolean =>
    left.length === 0
      ? state.isLive === end.isLive && state.current === end.current && isReused === end.isReused
      : left.some((answer, i) => {
          const next = stateAfter(state, answer)
          const others = left.filter((_, at) => at !== i)
          return next !== undefined && search(next, others, isReused || next.ends === 'reuse')
        })
  return search(start, answers, false)
}
