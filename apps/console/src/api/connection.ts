import type { AdminQuestion, RolecallError } from '@rolecall/sdk/admin'
import { useSyncExternalStore } from 'react'

/** The state of the connection to the service, according to the last response. */
export type Connection =
  | { readonly state: 'good' }
  /** No response arrived. */
  | { readonly state: 'offline'; readonly since: Date }
  /** The service responded that it is unavailable. */
  | { readonly state: 'unavailable'; readonly since: Date; readonly detail: string }
  /** The session has ended. Every call is rejected until the administrator signs in again. */
  | { readonly state: 'ended' }

let connection: Connection = { state: 'good' }
const listeners = new Set<() => void>()

/**
 * Records the outcome of a call: its error, or undefined if the service accepted the call. After the end of a session,
 * the console continues only when it knows who has signed in.
 */
export function note(error: RolecallError | undefined, name?: AdminQuestion): void {
  const next = connectionAfter(error)
  if (next.state === connection.state) return
  if (connection.state === 'ended' && next.state === 'good' && name !== 'getProfile') return
  connection = next
  for (const listener of listeners) listener()
}

/** Returns the state of the connection after a call that ended with this error, or without one. */
export function connectionAfter(error: RolecallError | undefined): Connection {
  if (error?.code === 'INVALID_TOKEN') return { state: 'ended' }
  if (error?.code === 'NETWORK_ERROR' || error?.code === 'TIMEOUT')
    return { state: 'offline', since: new Date() }
  if (error?.status === 503 && error.code !== 'CHAT_PLATFORM_UNAVAILABLE') {
    return { state: 'unavailable', since: new Date(), detail: error.detail }
  }
  return { state: 'good' }
}

/** Returns true for an error that is worth an automatic retry, because the service or the connection may recover. */
export const isPassing = (error: unknown): boolean => {
  const { code, status } = error as { code?: string; status?: number }
  return code === 'NETWORK_ERROR' || code === 'TIMEOUT' || status === 503
}

/** Returns the state of the connection. The component renders again when it changes. */
export const useConnection = (): Connection =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => connection,
  )
