import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Sends a signal to the PostgreSQL server that uses a data folder, and to its child processes.
 *
 * @param {string} data
 * @param {NodeJS.Signals} signal
 */
export function signalPostgres(data, signal) {
  const [pid = ''] = readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')
  const { stdout } = spawnSync('pgrep', ['-P', pid], { encoding: 'utf8' })
  for (const one of [pid, ...stdout.trim().split('\n')].filter(Boolean)) {
    try {
      process.kill(Number(one), signal)
    } catch (error) {
      // It has ended since it was listed.
      if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'ESRCH') throw error
    }
  }
}
