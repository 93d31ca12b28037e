import { Server as NetServer } from 'node:net'
import { setImmediate as eventLoopTurn, setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import type { Lifecycle } from './lifecycle.ts'

interface Terms {
  /** The time in which clients can switch to other instances. With 0, the server closes immediately. */
  readonly drainMs: number
  /** The time after which connections that are still open are cut off. */
  readonly deadlineMs: number
}

/**
 * Stops a server without losing a request, in three steps (see `Phase`). First, responses end their connections, so
 * that clients reconnect to another instance. Then the listener closes. Only then do idle connections end. Resolves
 * when the last connection is closed, with true if some had to be cut off.
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
  // Workers share one listener, and close it one after another. Until the last worker has closed it, no worker may make
  // clients reconnect.
  await pause(drainMs / 8)
  lifecycle.enter('ending')
  await Promise.race([isEmpty, pause(drainMs / 4)])
  // Reads data that has already arrived before connections count as idle.
  for (let turn = 0; turn < 2; turn++) await eventLoopTurn()
  await app.close()
  clearTimeout(deadline)
  return isCutOff
}

const stepMs = 50

/**
 * Waits in short steps. If this process is suspended meanwhile, only one step passes, so that clients still get most of
 * the time.
 */
async function pause(ms: number) {
  for (let left = ms; left > 0; left -= stepMs) await sleep(Math.min(left, stepMs))
}

/**
 * Closes the listener, and resolves when no connection is left. Does not use `http.Server.close`, which would also end
 * idle connections.
 */
const stopListening = ({ server }: FastifyInstance) =>
  new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()))
