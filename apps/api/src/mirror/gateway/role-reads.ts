import { setTimeout as sleep } from 'node:timers/promises'
import type { MirrorDeps } from '../mirror-deps.ts'

/** The pause between two readings of one server's roles. */
const pauseMs = 2_000
/** The number of attempts while the platform does not answer; the next event with such a role starts again. */
const maxTries = 5

/** Reads a server's roles from the platform into the mirror; throws when it cannot. */
export type ReadRoles = (serverId: string) => Promise<void>

/**
 * Reads the roles of a server when a member holds a role that no event has described: its event was lost or is
 * late. Reads once for any number of requests, and not again at once if the platform does not know the role either.
 */
export function createRoleReads({ log, readRoles }: Pick<MirrorDeps, 'log'> & { readRoles: ReadRoles }) {
  /** The servers that are being read or were just read; `isAskedAgain` if another request came since. */
  const busy = new Map<string, { isAskedAgain: boolean }>()
  const closing = new AbortController()

  const read = async (serverId: string, turn: { isAskedAgain: boolean }) => {
    for (let tries = 0; turn.isAskedAgain && tries < maxTries && !closing.signal.aborted; ) {
      turn.isAskedAgain = false
      try {
        await readRoles(serverId)
        tries = 0
      } catch (error) {
        log.debug({ err: error, serverId }, 'role read failed')
        turn.isAskedAgain = true
        tries += 1
      }
      await sleep(pauseMs, undefined, { signal: closing.signal, ref: false }).catch(() => {})
    }
    busy.delete(serverId)
  }
  return {
    ask(serverId: string) {
      const turn = busy.get(serverId)
      if (turn) {
        turn.isAskedAgain = true
        return
      }
      const first = { isAskedAgain: true }
      busy.set(serverId, first)
      void read(serverId, first)
    },
    /** Returns true if the roles of a server are being read, or were a moment ago. */
    isBusy: (serverId: string) => busy.has(serverId),
    close: () => closing.abort(),
  }
}
