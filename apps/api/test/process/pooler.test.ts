import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ChatSim, startChatSim } from '@rolecall/chat-sim'
import { beforeAll, describe, expect, inject, test } from 'vitest'
import { freePort } from '../../../../tools/free-port.js'
import { atOnce, tally } from '../at-once.ts'
import { call } from '../client.ts'
import { runCommand } from '../command.ts'
import { createDatabase, type TestDatabase } from '../databases.ts'
import { authorizePath, redirectUri, validate, walkLogin } from '../given.ts'
import { environmentFor, startService } from './service-process.ts'

const isInstalled = spawnSync('pgbouncer', ['--version']).status === 0

/** Starts a pooler in transaction mode in front of the PostgreSQL of the tests. */
async function startPooler(folder: string, database: string, settings: string) {
  const server = new URL(inject('postgresUrl'))
  const port = await freePort()
  const file = join(folder, `${port}.ini`)
  writeFileSync(
    file,
    `[databases]
${database} = host=127.0.0.1 port=${server.port} dbname=${database} user=postgres password=postgres
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 6
${settings}
`,
  )
  chmodSync(folder, 0o755)
  const asUser = process.getuid?.() === 0 ? ['--user=postgres'] : []
  const child: ChildProcess = spawn('pgbouncer', ['--quiet', ...asUser, file], { stdio: 'ignore' })
  const end = () => child.kill('SIGKILL')
  process.once('exit', end)
  await expect.poll(() => isListening(port)).toBe(true)
  return {
    url: `postgres://rolecall@127.0.0.1:${port}/${database}`,
    stop: async () => {
      process.off('exit', end)
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
  }
}

const isListening = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(true))
    socket.once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })

/** The setting in docs/guides/postgresql.md. */
const ignored =
  'ignore_startup_parameters = extra_float_digits,options,lock_timeout,idle_in_transaction_session_timeout'

describe.skipIf(!isInstalled)('behind PgBouncer', () => {
  let sim: ChatSim
  let stored: TestDatabase
  let folder: string
  let env: Record<string, string>
  const name = () => new URL(stored.url).pathname.slice(1)
  beforeAll(async () => {
    sim = await startChatSim({ headlessLogin: true })
    stored = await createDatabase('postgres')
    folder = await mkdtemp(join(tmpdir(), 'rolecall-pooler-'))
    env = environmentFor(sim, await freePort())
    sim.allowRedirect(env['CHAT_CALLBACK_URL'] ?? '')
    return async () => {
      await sim.close()
      await stored.drop()
      await rm(folder, { recursive: true, force: true })
    }
  })

  test('settings that it refuses end the start at once, with what to set there', async () => {
    const pooler = await startPooler(folder, name(), '')
    const service = startService(folder, { ...env, DATABASE_URL: pooler.url })
    expect(await service.ended).toBe(1)
    expect(service.output()).toContain(ignored)
    const doctor = await runCommand(folder, ['doctor'], { ...env, DATABASE_URL: pooler.url })
    expect(doctor.out).toMatch(/^PROBLEM +database +The pooler of DATABASE_URL rejects startup parameters/m)
    await pooler.stop()
  })

  test('in transaction mode, with no support for prepared statements, no request is answered with 5xx, and it is told once', async () => {
    const made = await runCommand(folder, ['projects', 'create', 'Site', '--redirect-uri', redirectUri], {
      ...env,
      DATABASE_URL: stored.url,
    })
    const [, id = ''] = /^project {2}(\S+)$/m.exec(made.out) ?? []
    const [, key = ''] = /^API key {2}(\S+)/m.exec(made.out) ?? []
    const pooler = await startPooler(folder, name(), ignored)
    const service = startService(folder, { ...env, DATABASE_URL: pooler.url })
    await service.listening
    const logins = await atOnce(8, async () => {
      const end = await walkLogin({ url: service.url, sim }, authorizePath(id))
      const body = { clientId: id, code: end.searchParams.get('code'), redirectUri }
      return call(service.url, 'POST', '/api/auth/token', { key, body })
    })
    expect(tally(logins.map(({ status }) => status))).toEqual({ 200: 8 })
    const answers = await atOnce(200, async (i) => {
      const { token } = logins[i % logins.length]?.body ?? {}
      if (i % 20 === 19)
        return call(service.url, 'POST', '/api/auth/logout-all', { key, body: { memberId: '1'.repeat(18) } })
      return validate(service, { id, key }, token)
    })
    expect(tally(answers.map(({ status }) => Math.floor(status / 100)))).not.toHaveProperty('5')
    expect(service.output().match(/prepared statements disabled/g)).toHaveLength(1)
    expect(await service.kill('SIGTERM')).toBe(0)
    await pooler.stop()
  })
})
