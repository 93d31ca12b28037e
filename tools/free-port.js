import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * Below the ports that Linux gives to connections and to whoever listens on port 0, and above the last that browsers and
 * `fetch` refuse to ask (10080: Fetch Standard, "port blocking").
 */
const [lowest, highest] = [10_081, 32_000]

/**
 * A port of 127.0.0.1 that nobody listens on, for a program that is told its port before it starts.
 *
 * A port that the system chose for a probe is the next that it gives to anybody else, and on a busy machine somebody
 * takes it before the program does. Among these, only another that was drawn here can be the same.
 *
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
