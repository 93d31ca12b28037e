import type { SystemHealth } from '@rolecall/sdk/admin'
import { countText } from '../../components/number.tsx'

interface Part {
  readonly name: string
  readonly tone: 'good' | 'warn' | 'bad'
  readonly state: string
  readonly note: string
}

/** Returns the response time of a part as text, or an empty text if there is none. */
const latencyText = (latencyMs: number | null) =>
  latencyMs === null ? '' : `responds in ${latencyMs < 10 ? latencyMs.toFixed(1) : Math.round(latencyMs)} ms`

const gatewayStates: Readonly<Record<SystemHealth['chatPlatform']['gateway'], string>> = {
  off: 'roles are refreshed on demand',
  closed: 'gateway closed',
  connecting: 'gateway connecting',
  connected: 'roles are live',
  refused: 'gateway refused',
}

/** Returns the state of each part of the service: the service itself, Discord, the database, and the cache. */
export function partsOf({ api, chatPlatform, database, cache }: SystemHealth): readonly Part[] {
  const { status, gateway, sessionsLeft, latencyMs } = chatPlatform
  const left =
    sessionsLeft === undefined || sessionsLeft === null ? '' : `, ${sessionsLeft} gateway sessions left`
  return [
    {
      name: 'Service',
      tone: 'good',
      state: countText(api.instances.length, 'instance'),
      note: `version ${api.version}`,
    },
    {
      name: 'Discord',
      tone: status === 'up' ? 'good' : status === 'degraded' ? 'warn' : 'bad',
      state: { up: 'Up', degraded: 'Degraded', down: 'Down' }[status],
      note: [gatewayStates[gateway] + left, latencyText(latencyMs)].filter(Boolean).join(', '),
    },
    {
      name: 'Database',
      tone: database.status === 'down' ? 'bad' : database.problem === null ? 'good' : 'warn',
      state: database.status === 'down' ? 'Down' : database.problem === null ? 'Up' : 'Rejects writes',
      note: latencyText(database.latencyMs),
    },
    {
      name: 'Cache',
      tone: cache.status === 'up' ? 'good' : 'warn',
      state: cache.status === 'up' ? 'Up' : 'Down',
      note: latencyText(cache.latencyMs),
    },
  ]
}

/** Returns the state of the whole service in one sentence. `isCalm` means that no open problem is listed. */
export function sentenceOf(health: SystemHealth, isCalm: boolean): string {
  const wrong = partsOf(health).filter(({ tone }) => tone !== 'good')
  if (wrong.length === 0)
    return isCalm ? 'All systems are up. Nothing needs your attention.' : 'All systems are up.'
  const names = wrong.map(({ name, state }) => `${name} (${state.toLowerCase()})`)
  return `Needs attention: ${names.join(', ')}.`
}
