import { PGlite, type PGliteOptions } from '@electric-sql/pglite'

/**
 * Thrown if the embedded engine does not start, or has stopped itself. The message is the reason that the engine gave.
 */
export class EngineStopped extends Error {
  override readonly name = 'EngineStopped'
}

/** A running engine. */
export interface EmbeddedEngine {
  readonly pglite: PGlite
  /** Returns why the engine has stopped itself, or undefined while it runs. */
  stopped(): EngineStopped | undefined
  /**
   * Stops the engine after a checkpoint. If it has already stopped itself, the next start recovers the data from the
   * write-ahead log.
   */
  close(): Promise<void>
}

/**
 * Matches the last message of the engine before it stops itself, without the time and the process ID. The lines of a
 * statement do not match, because they are indented.
 */
const fatalMessage = /^\S+ \S+ \S+ \[\d+\] (?:FATAL|PANIC): +(.+)/

/**
 * Starts the embedded engine, and protects the process from an engine that has stopped itself.
 *
 * A PostgreSQL server ends after a PANIC, for example if the disk of its log is full, and that releases its locks. The
 * embedded engine remains in the memory of this process, with its locks. The next statement would wait for such a lock
 * forever, and block the event loop. So no message is passed to an engine that has stopped.
 */
export async function startEngine(
  options: PGliteOptions,
  onStopped: (reason: EngineStopped) => void = () => {},
): Promise<EmbeddedEngine> {
  let isOpen = false
  let reason: EngineStopped | undefined
  const pglite = await PGlite.create({
    ...options,
    onStderr: (line) => {
      const [, message] = fatalMessage.exec(line) ?? []
      if (message === undefined || reason) return false
      reason = new EngineStopped(message)
      if (isOpen) onStopped(reason)
      return false
    },
  }).catch((cause: unknown) => {
    throw new EngineStopped(reason?.message ?? String(cause), { cause })
  })
  isOpen = true
  reason = undefined
  const send = pglite.execProtocolRawSync.bind(pglite)
  pglite.execProtocolRawSync = (message) => {
    if (reason) throw reason
    return send(message)
  }
  return {
    pglite,
    stopped: () => reason,
    async close() {
      isOpen = false
      if (!reason) await pglite.close()
    },
  }
}
