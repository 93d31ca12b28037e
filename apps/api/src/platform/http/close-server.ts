import { Server as NetServer } from 'node:net'
import { setImmediate as eventLoopTurn, setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import type { Lifecycle } from './lifecycle.ts'

interface Terms {
  /** The time in which callers can switch to other instances. With 0, the server closes immediately. */
  readonly drainMs: number
  /** The time from now after which remaining connections are cut off. */
  readonly deadlineMs: number
}

/**
 * Takes a server out of service without losing a request. Responses first end their connections, so that callers
 * reconnect elsewhere. Then the listener closes, and only then do idle connections end. Resolves when the last
 * connection is closed, with `true` if some had to be cut off.
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
  // Workers share one listener and close it one by one. No worker may make clients reconnect before the last worker has
  // closed the listener.
  await pause(drainMs / 8)
  lifecycle.enter('ending')
  await Promise.race([isEmpty, pause(drainMs / 4)])
  // Data that has arrived by now is read before a connection counts as idle.
  for (let turn = 0; turn < 2; turn++) await eventLoopTurn()
  await app.close()
  clearTimeout(deadline)
  return isCutOff
}

const stepMs = 50

/** Waits in steps, so that the wait does not include time in which this process did not run and could not answer. */
async function pause(ms: number) {
  for (let left = ms; left > 0; left -= stepMs) await sleep(Math.min(left, stepMs))
}

/**
 * Closes the listener, and resolves when no connection is left. `http.Server.close` would also end idle connections.
 */
const stopListening = ({ server }: FastifyInstance) =>
  new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()))
