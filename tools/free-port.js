import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'

/**
 * Below the ports that Linux assigns to connections and to servers on port 0, and above the last that browsers and
 * `fetch` refuse (10080: Fetch Standard, "port blocking").
 */
const [lowest, highest] = [10_081, 32_000]
/** A file for each port that a process of this user was given. */
const given = join(tmpdir(), `rolecall-ports-${userInfo().uid}`)
/** The time in which a program listens at its port. */
const reservedMs = 120_000

/**
 * Returns a free port of 127.0.0.1, for a program that needs its port before it starts.
 *
 * A port that the system chose for a probe is the next that it assigns, and on a busy machine another process takes it
 * before the program does. In this range, only another call of this function can choose the same, and it does not for
 * two minutes.
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
