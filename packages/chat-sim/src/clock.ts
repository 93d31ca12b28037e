/** The simulator's time. Tests move it forward instead of waiting for a code or a token to expire. */
export interface Clock {
  now(): number
  advance(ms: number): void
  reset(): void
}

export function createClock(): Clock {
  let ahead = 0
  return {
    now: () => Date.now() + ahead,
    advance: (ms) => {
      ahead += ms
    },
    reset: () => {
      ahead = 0
    },
  }
}
