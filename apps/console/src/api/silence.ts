import { useSyncExternalStore } from 'react'

/** The service is heard at least every 15 seconds; after so long without a word nothing updates by itself. */
export const silentMs = 30_000

let silentSince: Date | undefined
let timer: ReturnType<typeof setTimeout> | undefined
const listeners = new Set<() => void>()

function tell(since: Date | undefined): void {
  if (since === silentSince) return
  silentSince = since
  for (const listener of listeners) listener()
}

/** Takes that the service was heard, by this tab or by the one that holds the stream. */
export function noteHeard(): void {
  const at = new Date()
  clearTimeout(timer)
  timer = setTimeout(() => tell(at), silentMs)
  tell(undefined)
}

/** Nobody listens any more. */
export function forgetHeard(): void {
  clearTimeout(timer)
  tell(undefined)
}

/** When the service was heard last, while it has been silent for long. */
export const useSilence = (): Date | undefined =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => silentSince,
  )
