import { setTimeout as sleep } from 'node:timers/promises'
import type { MirrorDeps } from '../mirror-deps.ts'

/** The pause after each read of a server's roles. */
const pauseMs = 2_000
/** The maximum number of attempts while Discord does not respond. The next event with an unknown role starts again. */
const maxTries = 5

/** Reads a server's roles from Discord into the mirror. Throws if that fails. */
export type ReadRoles = (serverId: string) => Promise<void>

/**
 * Creates the task that reads the roles of a server if a member holds an unknown one, because the event about the role
 * was lost or is late. All requests during a read and the pause after it cause one more read, in case Discord did not
 * return the role yet.
 */
export function createRoleReads({ log, readRoles }: Pick<MirrorDeps, 'log'> & { readRoles: ReadRoles }) {
  /** The servers whose roles are being read, or were just read. `isRequested` is true if another read is needed. */
  const busy = new Map<string, { isRequested: boolean }>()
  const closing = new AbortController()

  const read = async (serverId: string, state: { isRequested: boolean }) => {
    for (let tries = 0; state.isRequested && tries < maxTries && !closing.signal.aborted; ) {
      state.isRequested = false
      try {
        await readRoles(serverId)
        tries = 0
      } catch (error) {
        log.debug({ err: error, serverId }, 'role read failed')
        state.isRequested = true
        tries += 1
      }
      await sleep(pauseMs, undefined, { signal: closing.signal, ref: false }).catch(() => {})
    }
    busy.delete(serverId)
  }
  return {
    /** Reads the roles of a server in the background. */
    request(serverId: string) {
      const running = busy.get(serverId)
      if (running) {
        running.isRequested = true
        return
      }
      const first = { isRequested: true }
      busy.set(serverId, first)
      void read(serverId, first)
    },
    /** Returns true if the roles of a server are being read, or were just read. */
    isBusy: (serverId: string) => busy.has(serverId),
    close: () => closing.abort(),
  }
}
