import type { LeaderState } from './store.ts'

/**
 * The group to ask for, so that instances lead about equally many: the last one of whoever leads most, when that is two more than
 * this instance leads. Each that is handed over makes the difference smaller, so this ends.
 */
export function groupToAskFor(states: readonly LeaderState[], holder: string): LeaderState | undefined {
  const led = new Map<string, LeaderState[]>()
  for (const state of states) {
    if (state.isVacant || state.holder === null) continue
    led.set(state.holder, [...(led.get(state.holder) ?? []), state])
  }
  const most = [...led.values()].reduce<LeaderState[]>((a, b) => (b.length > a.length ? b : a), [])
  const mine = led.get(holder)?.length ?? 0
  return most.length >= mine + 2 ? most.at(-1) : undefined
}
