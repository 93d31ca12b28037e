import type { LiveMirrorStatus } from './status.ts'
import type { LeaderState } from './store.ts'

type State = LiveMirrorStatus['gateway']['state']

const nobodys = { isLeader: false, lastEventAt: null, vouched: [], pending: 0, lagMs: null }

/** A group that is not led here, as its leader last said. */
export function statusElsewhere(
  known: LeaderState | undefined,
  without: { state: State; problem: string | null },
): LiveMirrorStatus {
  const { state, problem, shards, latencyMs, sessionsLeft } = known?.hasLeader
    ? known
    : { ...without, shards: 0, latencyMs: null, sessionsLeft: null }
  return {
    ...nobodys,
    gateway: { state, problem, shards, latencyMs, sessionsLeft },
    lastEventAt: known?.lastEventAt ?? null,
    lagMs: known?.hasLeader ? known.lagMs : null,
    samples: { asked: 0, wrong: 0 },
  }
}

/** The worst first. */
const states: readonly State[] = ['refused', 'closed', 'connecting', 'connected', 'off']

/** Of all groups: the worst state, and what there is together. */
export function mergeStatus(all: readonly LiveMirrorStatus[]): LiveMirrorStatus {
  const gateways = all
    .map(({ gateway }) => gateway)
    .sort((a, b) => states.indexOf(a.state) - states.indexOf(b.state))
  return {
    isLeader: all.some(({ isLeader }) => isLeader),
    gateway: {
      state: gateways[0]?.state ?? 'off',
      problem: gateways.find(({ problem }) => problem !== null)?.problem ?? null,
      shards: sum(gateways.map(({ shards }) => shards)),
      latencyMs: greatest(gateways.map(({ latencyMs }) => latencyMs)),
      sessionsLeft: least(gateways.map(({ sessionsLeft }) => sessionsLeft)),
    },
    lastEventAt: latest(all.map(({ lastEventAt }) => lastEventAt)),
    vouched: all.flatMap(({ vouched }) => vouched),
    pending: sum(all.map(({ pending }) => pending)),
    lagMs: greatest(all.map(({ lagMs }) => lagMs)),
    samples: {
      asked: sum(all.map(({ samples }) => samples.asked)),
      wrong: sum(all.map(({ samples }) => samples.wrong)),
    },
  }
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0)
const known = (numbers: readonly (number | null)[]) => numbers.flatMap((one) => one ?? [])
const ascending = (numbers: readonly (number | null)[]) => known(numbers).sort((a, b) => a - b)
const greatest = (numbers: readonly (number | null)[]) => ascending(numbers).at(-1) ?? null
const least = (numbers: readonly (number | null)[]) => ascending(numbers).at(0) ?? null
const latest = (times: readonly (Date | null)[]) => {
  const ms = greatest(times.map((time) => time?.getTime() ?? null))
  return ms === null ? null : new Date(ms)
}
