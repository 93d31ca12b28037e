import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * Below the ports that Linux assigns to connections and to servers on port 0, and above the last that browsers and
 * `fetch` refuse (10080: Fetch Standard, "port blocking").
 */
const [lowest, highest] = [10_081, 32_000]

/**
 * Returns a free port of 127.0.0.1, for a program that needs its port before it starts.
 *
 * A port that the system chose for a probe is the next that it assigns, and on a busy machine another process takes it
 * before the program does. In this range, only another call of this function can choose the same.
 * @returns {Promise<number>}
 */
export async function freePort() {
  for (;;) {
    const port = randomInt(lowest, highest)
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
