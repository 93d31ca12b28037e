import { PGlite, type PGliteOptions } from '@electric-sql/pglite'

/** Thrown if the embedded engine does not start, or has ended itself. The message is the engine's own reason. */
export class EngineStopped extends Error {
  override readonly name = 'EngineStopped'
}

export interface EmbeddedEngine {
  readonly pglite: PGlite
  /** Returns the reason why the engine has ended itself, or undefined while it runs. */
  stopped(): EngineStopped | undefined
  /**
   * Stops the engine with a checkpoint. If the engine has ended itself, the next start recovers the data from its log.
   */
  close(): Promise<void>
}

/**
 * Matches the engine's last message before it ends itself, without its time and process ID. Lines of a statement are
 * indented.
 */
const fatalMessage = /^\S+ \S+ \S+ \[\d+\] (?:FATAL|PANIC): +(.+)/

/**
 * Starts the embedded engine. A server of PostgreSQL ends after a PANIC, for example when its log has no room, and so
 * releases its locks. The embedded engine stays in the memory of this process. Its next statement would wait for such a
 * lock forever, without returning to the event loop. So no message is passed to an engine that has ended itself.
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
