import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { freePort } from './free-port.js'
import { ask, logIn } from './try-login.js'

// Runs a service under load on a PostgreSQL primary with a synchronous standby. Kills the primary, promotes the
// standby, and checks that no acknowledged logout was lost. Prints what was lost, and for how long no request was
// answered. Exits with 1 if anything was lost.
//
// Run it by hand as root on Debian, with Debian's PostgreSQL, after `npm run build`. It takes half a minute. SESSIONS
// (200) and LANES (8) set the load. WAY=hosts (the default) lists both servers in DATABASE_URL. WAY=haproxy uses
// Debian's HAProxy with deploy/haproxy/postgresql.cfg.

const sessions = Number(process.env['SESSIONS'] ?? 200)
const lanes = Number(process.env['LANES'] ?? 8)
const isBehindProxy = process.env['WAY'] === 'haproxy'
const root = fileURLToPath(new URL('..', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'rolecall-failover-'))
chmodSync(folder, 0o755)
const version = readdirSync('/usr/lib/postgresql').sort((a, b) => Number(b) - Number(a))[0]
const data = { first: join(folder, 'first'), second: join(folder, 'second') }

/**
 * Runs a program of PostgreSQL as another user, because it refuses root.
 *
 * @param {string} name
 * @param {readonly string[]} args
 */
const postgres = (name, ...args) =>
  execFileSync(
    'setpriv',
    [
      '--reuid=postgres',
      '--regid=postgres',
      '--clear-groups',
      `/usr/lib/postgresql/${version}/bin/${name}`,
      ...args,
    ],
    { stdio: ['ignore', 'ignore', 'inherit'], cwd: '/' },
  )

/** @param {number} port @param {string} statement */
const query = (port, statement) =>
  execFileSync(
    'psql',
    ['-h', '127.0.0.1', '-p', String(port), '-U', 'postgres', '-XAtc', statement, 'postgres'],
    {
      encoding: 'utf8',
    },
  ).trim()

/** @param {keyof typeof data} which @param {number} port @param {string} standbys */
const start = (which, port, standbys) =>
  postgres(
    'pg_ctl',
    ...['start', '--wait', '--silent', `--pgdata=${data[which]}`, `--log=${data[which]}/log`],
    `--options=-p ${port} -k '' -c listen_addresses=127.0.0.1 -c synchronous_standby_names=${standbys}`,
  )

const ports = {
  first: await freePort(),
  second: await freePort(),
  proxy: await freePort(),
  service: await freePort(),
}
/** The cleanups that run at the end, newest first. @type {(() => unknown)[]} */
const endings = [() => rmSync(folder, { recursive: true, force: true })]

function startServers() {
  for (const path of Object.values(data)) {
    mkdirSync(path, { mode: 0o700 })
    execFileSync('chown', ['postgres:postgres', path])
  }
  postgres('initdb', `--pgdata=${data.first}`, '--username=postgres', '--auth=trust', '--locale=C.UTF-8')
  start('first', ports.first, "''")
  const copy = ['-h', '127.0.0.1', '-p', String(ports.first), '-U', 'postgres', '-D', data.second]
  postgres('pg_basebackup', ...copy, '-R', '-X', 'stream', '--checkpoint=fast')
  start('second', ports.second, "''")
  endings.push(() => postgres('pg_ctl', 'stop', `--pgdata=${data.second}`, '--mode=immediate', '--silent'))
  // From here on, a commit is acknowledged only when the standby has it, too. After its promotion, the standby has no
  // standby of its own to wait for.
  postgres('pg_ctl', 'stop', `--pgdata=${data.first}`, '--mode=fast', '--silent')
  start('first', ports.first, "'*'")
  for (let tries = 0; query(ports.first, 'select sync_state from pg_stat_replication') !== 'sync'; tries++) {
    if (tries === 100) throw new Error('The standby does not stream.')
    spawnSync('sleep', ['0.1'])
  }
  query(ports.first, 'create database rolecall')
}

async function startProxy() {
  const file = join(folder, 'haproxy.cfg')
  const given = readFileSync(join(root, 'deploy/haproxy/postgresql.cfg'), 'utf8')
  const here = given
    .replace(':5430', `:${ports.proxy}`)
    .replace(':5431', `:${ports.first}`)
    .replace(':5432', `:${ports.second}`)
  writeFileSync(file, here)
  const child = spawn('haproxy', ['-db', '-f', file], { stdio: 'ignore' })
  endings.push(() => child.kill('SIGKILL'))
  await sleep(1_500)
}

async function startService() {
  const { demo, startChatSim } = await import('../packages/chat-sim/dist/index.js')
  const sim = await startChatSim({ headlessLogin: true })
  const url = `http://127.0.0.1:${ports.service}`
  sim.allowRedirect(`${url}/api/auth/callback`)
  endings.push(() => sim.close())
  const env = {
    PATH: process.env['PATH'],
    PORT: String(ports.service),
    PUBLIC_URL: url,
    DATABASE_URL: isBehindProxy
      ? `postgres://postgres@127.0.0.1:${ports.proxy}/rolecall`
      : `postgres://postgres@127.0.0.1:${ports.first},127.0.0.1:${ports.second}/rolecall?target_session_attrs=read-write`,
    CHAT_API_URL: sim.apiUrl,
    CHAT_AUTHORIZE_URL: sim.authorizeUrl,
    CHAT_CALLBACK_URL: `${url}/api/auth/callback`,
    CHAT_GATEWAY: 'off',
    CHAT_BOT_TOKEN: sim.app.botToken,
    CHAT_CLIENT_ID: sim.app.clientId,
    CHAT_CLIENT_SECRET: sim.app.clientSecret,
    CHAT_GUILD_ID: demo.mainGuildId,
    CHAT_ADMIN_ROLE_ID: demo.adminRoleId,
    RATE_LIMIT_GLOBAL: '0',
    LOG_LEVEL: 'warn',
    OUTBOUND_WEBHOOK_ENCRYPTION_KEY: '5f0c8a2d9b7e41f36c8d0a59e27b1f4460a9d3c85e7b2f19084d6ca1937be25d',
    INBOUND_WEBHOOK_ENCRYPTION_KEY: 'a17c04d96e3b8f52907a1dce48b3f60527d9ec418f5a0b63c2e87194d50fa3b6',
  }
  const program = join(root, 'apps/api/bin/rolecall.js')
  const redirectUri = 'https://site.example/callback'
  const command = (/** @type {readonly string[]} */ ...args) =>
    execFileSync(process.execPath, [program, ...args], { cwd: folder, env, encoding: 'utf8' })
  command('migrate')
  const made = command('projects', 'create', 'Site', '--redirect-uri', redirectUri)
  const [, id = ''] = /^project {2}(\S+)$/m.exec(made) ?? []
  const [, key = ''] = /^API key {2}(\S+)/m.exec(made) ?? []
  const child = spawn(process.execPath, [program, 'serve'], {
    cwd: folder,
    env,
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  endings.push(async () => {
    child.kill('SIGTERM')
    if (child.exitCode === null) await once(child, 'exit')
  })
  const site = { url, id, key, redirectUri, serverId: demo.mainGuildId }
  while (!(await fetch(`${url}/api/health/ready`).catch(() => undefined))?.ok) await sleep(100)
  /** @type {string[]} */
  const tokens = []
  while (tokens.length < sessions) tokens.push(await logIn(site, demo.users.ada))
  return { site, tokens }
}

/** @param {import('./try-login.js').Site} site @param {string[]} tokens */
async function use(site, tokens) {
  /** @type {string[]} */
  const ended = []
  const [stays, leaves] = [tokens.slice(0, tokens.length / 2), tokens.slice(tokens.length / 2)]
  const counts = { answered: 0, unavailable: 0, wrong: 0 }
  let [isOver, lastGood, maxGap] = [false, performance.now(), 0]
  const lane = async (/** @type {number} */ number) => {
    for (let i = number; !isOver; i += lanes) {
      const reply = await ask(site, '/api/auth/validate', { token: stays[i % stays.length] }).catch(
        () => undefined,
      )
      if (reply?.status === 200) {
        const now = performance.now()
        maxGap = Math.max(maxGap, now - lastGood)
        lastGood = now
        counts.answered++
      } else if (reply === undefined || reply.status === 503) counts.unavailable++
      else counts.wrong++
      const token = i % 3 === 0 ? leaves.pop() : undefined
      if (token && (await ask(site, '/api/auth/logout', { token }).catch(() => undefined))?.ok)
        ended.push(token)
      await sleep(5)
    }
  }
  const running = Promise.all(Array.from({ length: lanes }, (_, number) => lane(number)))
  return {
    stop: async () => {
      isOver = true
      await running
      return { ended, stays, counts, maxGap }
    },
  }
}

function killPrimary() {
  const [pid = ''] = readFileSync(join(data.first, 'postmaster.pid'), 'utf8').split('\n')
  const children = spawnSync('pgrep', ['-P', pid], { encoding: 'utf8' }).stdout.trim().split('\n')
  for (const one of [pid, ...children].filter(Boolean)) process.kill(Number(one), 'SIGKILL')
}

try {
  startServers()
  if (isBehindProxy) await startProxy()
  const { site, tokens } = await startService()
  const usage = await use(site, tokens)
  await sleep(700)
  killPrimary()
  const killedAt = performance.now()
  postgres('pg_ctl', 'promote', '--wait', '--silent', `--pgdata=${data.second}`)
  await sleep(8_000)
  const { ended, stays, counts, maxGap } = await usage.stop()
  const statuses = (/** @type {string[]} */ list) =>
    Promise.all(list.map(async (token) => (await ask(site, '/api/auth/validate', { token })).status))
  const back = (await statuses(ended)).filter((status) => status !== 401).length
  const lost = (await statuses(stays)).filter((status) => status !== 200).length
  console.log(
    `promoted ${Math.round(performance.now() - killedAt)} ms ago; no validation was answered for ${Math.round(maxGap)} ms`,
  )
  console.log(
    `validations: ${counts.answered} good, ${counts.unavailable} unavailable, ${counts.wrong} wrong`,
  )
  console.log(
    `of ${ended.length} acknowledged logouts ${back} are undone; of ${stays.length} live sessions ${lost} are lost`,
  )
  if (back + lost + counts.wrong > 0 || ended.length === 0) process.exitCode = 1
} finally {
  for (const end of endings.reverse()) await end()
}
