import { useSyncExternalStore } from 'react'

/**
 * The time without data, in milliseconds, after which the page reports that it is no longer updated. The service sends
 * something at least every 15 seconds.
 */
export const silentMs = 30_000

let silentSince: Date | undefined
let timer: ReturnType<typeof setTimeout> | undefined
const listeners = new Set<() => void>()

function setSilentSince(since: Date | undefined): void {
  if (since === silentSince) return
  silentSince = since
  for (const listener of listeners) listener()
}

/** Records that data of the stream arrived, in this tab or in the tab that holds the stream. */
export function noteData(): void {
  const at = new Date()
  clearTimeout(timer)
  timer = setTimeout(() => setSilentSince(at), silentMs)
  setSilentSince(undefined)
}

/** Stops the timer, because no component listens any longer. */
export function stopSilenceTimer(): void {
  clearTimeout(timer)
  setSilentSince(undefined)
}

/** Returns the time of the last data, once the stream has been silent for `silentMs`. */
export const useSilence = (): Date | undefined =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => silentSince,
  )
