import type { RolecallError } from '@rolecall/sdk/admin'
import { useSyncExternalStore } from 'react'

/** How the way to the service is, as the last answer said. */
export type Connection =
  | { readonly state: 'good' }
  /** No answer came. */
  | { readonly state: 'offline'; readonly since: Date }
  /** It answers that it cannot answer. */
  | { readonly state: 'unavailable'; readonly since: Date; readonly detail: string }
  /** The session is over: nothing more is answered until somebody logs in. */
  | { readonly state: 'ended' }

let connection: Connection = { state: 'good' }
const listeners = new Set<() => void>()

/** Takes what became of a call; undefined is an answer. */
export function note(error: RolecallError | undefined): void {
  const next = connectionAfter(error)
  if (next.state === connection.state) return
  connection = next
  for (const tell of listeners) tell()
}

export function connectionAfter(error: RolecallError | undefined): Connection {
  if (error?.code === 'INVALID_TOKEN') return { state: 'ended' }
  if (error?.code === 'NETWORK_ERROR' || error?.code === 'TIMEOUT')
    return { state: 'offline', since: new Date() }
  if (error?.status === 503 && error.code !== 'CHAT_PLATFORM_UNAVAILABLE') {
    return { state: 'unavailable', since: new Date(), detail: error.detail }
  }
  return { state: 'good' }
}

/** True for what is worth asking again by itself: the service, or the way to it, may come back. */
export const isPassing = (error: unknown): boolean => {
  const { code, status } = error as { code?: string; status?: number }
  return code === 'NETWORK_ERROR' || code === 'TIMEOUT' || status === 503
}

export const useConnection = (): Connection =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => connection,
  )
