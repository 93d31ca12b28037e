import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'

/**
 * The range of ports. It is below the ports that Linux assigns to connections and to servers on port 0. It is above the
 * last port that browsers and `fetch` refuse, which is 10080 (Fetch Standard, "port blocking").
 */
const [lowest, highest] = [10_081, 32_000]
/** The folder with a file for each port that a process of this user has received. */
const given = join(tmpdir(), `rolecall-ports-${userInfo().uid}`)
/** The time for which a port is reserved, in milliseconds. The program must listen on it by then. */
const reservedMs = 120_000

/**
 * Returns a free port of 127.0.0.1, for a program that needs its port before it starts.
 *
 * It does not let the system choose a port: on a busy machine, the system would assign the same port to another process
 * before the program listens on it. In this range, only another call of this function could choose the same port, and
 * it does not do so for two minutes.
 *
 * @returns {Promise<number>}
 */
export async function freePort() {
  for (;;) {
    const port = randomInt(lowest, highest)
    if (!reserve(port)) continue
    const probe = createServer().listen(port, '127.0.0.1')
    const isFree = await once(probe, 'listening').then(
      () => true,
      (error) => {
        if (error.code === 'EADDRINUSE') return false
        throw error
      },
    )
    if (!isFree) continue
    probe.close()
    await once(probe, 'close')
    return port
  }
}

/** Reserves a port. Returns false if another call has. @param {number} port */
function reserve(port) {
  const file = join(given, String(port))
  mkdirSync(given, { recursive: true })
  try {
    writeFileSync(file, '', { flag: 'wx' })
    return true
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  }
  const isOver = Date.now() - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0) > reservedMs
  if (isOver) rmSync(file, { force: true })
  return false
}
