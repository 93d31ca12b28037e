import { Server as NetServer } from 'node:net'
import { setImmediate as eventLoopTurn, setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import type { Lifecycle } from './lifecycle.ts'

interface Terms {
  /** How long callers have to go elsewhere; 0 closes at once. */
  readonly drainMs: number
  /** When, from now, what is still under way is cut off. */
  readonly deadlineMs: number
}

/**
 * Takes a server out of service so that no request is lost: callers are told to leave, the listener closes, and
 * only then are connections ended on which nothing happens. Resolves when the last connection is closed; `true`
 * when some had to be cut off.
 */
export async function closeServer(
  app: FastifyInstance,
  lifecycle: Lifecycle,
  { drainMs, deadlineMs }: Terms,
): Promise<boolean> {
  let isCutOff = false
  const deadline = setTimeout(() => {
    isCutOff = true
    app.server.closeAllConnections()
  }, deadlineMs)
  if (drainMs > 0) {
    lifecycle.enter('leaving')
    await pause(drainMs / 2)
    lifecycle.enter('settling')
    await pause(drainMs / 8)
  }
  const isEmpty = stopListening(app)
  // Workers share one listener and close it one by one: none may send clients to reconnect before the last has.
  await pause(drainMs / 8)
  lifecycle.enter('ending')
  await Promise.race([isEmpty, pause(drainMs / 4)])
  // What has arrived by now is read before a connection counts as idle.
  for (let turn = 0; turn < 2; turn++) await eventLoopTurn()
  await app.close()
  clearTimeout(deadline)
  return isCutOff
}

const stepMs = 50

/** Waits in steps, so that time in which this process had no processor, and nobody was answered, does not count. */
async function pause(ms: number) {
  for (let left = ms; left > 0; left -= stepMs) await sleep(Math.min(left, stepMs))
}

/** Closes the listener alone; resolves when no connection is left. `http.Server.close` would end idle ones, too. */
const stopListening = ({ server }: FastifyInstance) =>
  new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()))
