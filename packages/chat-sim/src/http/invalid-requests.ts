import type { Clock } from '../clock.ts'

const windowMs = 600_000

/**
 * Counts responses with 401, 403, and 429, except those for a shared limit. The platform blocks an address after 10,000
 * of them in ten minutes. The simulator counts them, but blocks nothing.
 */
export function createInvalidRequests(clock: Clock) {
  let times: number[] = []
  const recent = () => {
    const since = clock.now() - windowMs
    if (times.length > 0 && (times[0] as number) < since) times = times.filter((time) => time >= since)
    return times.length
  }
  return {
    count: recent,
    note(status: number, scope: unknown) {
      if (status === 401 || status === 403 || (status === 429 && scope !== 'shared')) times.push(clock.now())
    },
    clear: () => {
      times = []
    },
  }
}
