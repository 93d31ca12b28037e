/** The simulator's clock. Tests move it forward instead of waiting until a code or a token expires. */
export interface Clock {
  now(): number
  advance(ms: number): void
  reset(): void
}

/** Creates a clock that shows the present time until a test moves it. */
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
