import { spawnSync } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../../../../tools/free-port.js'

/** The folder of a PostgreSQL package of Debian, which contains tools that the PostgreSQL of the tests lacks. */
export const bin = (() => {
  try {
    const versions = readdirSync('/usr/lib/postgresql').sort((a, b) => Number(b) - Number(a))
    return versions
      .map((version) => `/usr/lib/postgresql/${version}/bin`)
      .find((path) => readdirSync(path).includes('pg_dump'))
  } catch {
    return undefined
  }
})()

/** Runs a program of PostgreSQL, as another user if the current user is root, which it refuses. */
function postgresTool(name: string, ...args: string[]) {
  const asUser =
    process.getuid?.() === 0 ? ['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups'] : []
  const [command = '', ...rest] = [...asUser, join(bin ?? '', name), ...args]
  const { status, stderr, error } = spawnSync(command, rest, {
    encoding: 'utf8',
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  if (status !== 0) throw error ?? new Error(`${name} ended with ${status}: ${stderr}`)
}

/** Starts a new cluster in a folder. It has its own identity, and its transaction counter starts from the beginning. */
export async function startCluster(folder: string) {
  const data = join(folder, 'data')
  mkdirSync(data, { recursive: true })
  chmodSync(folder, 0o755)
  if (process.getuid?.() === 0) {
    const { stdout } = spawnSync('id', ['-u', 'postgres'], { encoding: 'utf8' })
    chownSync(data, Number(stdout), Number(stdout))
  }
  const port = await freePort()
  postgresTool(
    'initdb',
    '--pgdata',
    data,
    '--username=rolecall',
    '--auth=trust',
    '--encoding=UTF8',
    '--locale=C.UTF-8',
  )
  const flags = `-p ${port} -k '' -c listen_addresses=127.0.0.1 -c fsync=off`
  postgresTool(
    'pg_ctl',
    'start',
    '--wait',
    `--pgdata=${data}`,
    `--options=${flags}`,
    '--silent',
    `--log=${data}/log`,
  )
  const url = `postgres://rolecall@127.0.0.1:${port}/rolecall`
  return {
    url,
    stop: () => postgresTool('pg_ctl', 'stop', `--pgdata=${data}`, '--mode=immediate', '--silent'),
  }
}
