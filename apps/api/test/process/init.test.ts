import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseEnv, stripVTControlCharacters } from 'node:util'
import { type ChatSim, demo, startChatSim } from '@rolecall/chat-sim'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { freePort } from '../../../../tools/free-port.js'
import { noteRun } from '../../../../tools/shown/notes.ts'
import { call } from '../client.ts'
import { program, runCommand } from '../command.ts'
import { createDatabase } from '../databases.ts'
import { authorizePath, redirectUri, validate, walkAdminLogin, walkLogin } from '../given.ts'
import { startRedis } from '../redis.ts'
import { startService } from './service-process.ts'

let sim: ChatSim
let folder: string
let port: number
let platform: Record<string, string>
beforeAll(async () => {
  sim = await startChatSim({ headlessLogin: true })
  return () => sim.close()
})
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rolecall-init-'))
  port = await freePort()
  // Writes the files of an operator. The simulated platform replaces the real one.
  await writeFile(join(folder, 'bot-token'), `${sim.app.botToken}\n`)
  await writeFile(join(folder, 'client-secret'), `${sim.app.clientSecret}\n`)
  platform = {
    CHAT_API_URL: sim.apiUrl,
    CHAT_AUTHORIZE_URL: sim.authorizeUrl,
    CHAT_GATEWAY: 'off',
    CHAT_BOT_TOKEN_FILE: 'bot-token',
    CHAT_CLIENT_SECRET_FILE: 'client-secret',
  }
  return () => rm(folder, { recursive: true, force: true })
})

const options = (more: Record<string, string> = {}) =>
  Object.entries({
    server: demo.mainGuildId,
    'admin-role': 'steward',
    'public-url': `http://127.0.0.1:${port}`,
    project: 'Site',
    'redirect-uri': redirectUri,
    ...more,
  }).flatMap(([name, value]) => (value === '' ? [] : [`--${name}`, value]))
const allowCallback = () => sim.allowRedirect(`http://127.0.0.1:${port}/api/auth/callback`)

test('from an empty folder, one command makes what the service needs to start, and its project logs a member in', async () => {
  allowCallback()
  const { code, out, err } = await runCommand(folder, ['init', ...options()], platform)
  expect([code, err], out).toEqual([0, ''])
  expect(out).toContain('Harbour Club; role for System Admins: Steward')
  expect(out).toContain(`invite   ${sim.authorizeUrl}?client_id=${sim.app.clientId}&scope=bot&permissions=0`)
  expect(out).not.toContain(sim.app.botToken)
  const { mode } = await stat(join(folder, '.env'))
  expect(mode & 0o777).toBe(0o600)
  const [, id = ''] = /^project {2}(\S+)$/m.exec(out) ?? []
  const [, key = ''] = /^API key {2}(\S+)/m.exec(out) ?? []

  // Uses only the written file as the environment.
  const service = startService(folder, { PORT: String(port) })
  await service.listening
  expect(service.output()).not.toContain('"level":40')
  const end = await walkLogin({ url: service.url, sim }, authorizePath(id))
  const body = { clientId: id, code: end.searchParams.get('code'), redirectUri }
  const session = await call(service.url, 'POST', '/api/auth/token', { key, body })
  expect(session.status, session.text).toBe(200)
  expect(await validate(service, { id, key }, session.body.token)).toMatchObject({
    status: 200,
    body: { member: { id: demo.users.ada } },
  })
  expect(await walkAdminLogin({ url: service.url, sim })).toMatch(/^rcs_/)
  expect(await service.kill('SIGTERM')).toBe(0)
})

test('keys are fresh each time, and a file that is there is never written over', async () => {
  allowCallback()
  const made = await Promise.all(
    ['one.env', 'two.env'].map(async (name, i) => {
      const more = { output: name, database: `pglite:db${i}`, project: '', 'redirect-uri': '' }
      expect(await runCommand(folder, ['init', ...options(more)], platform)).toMatchObject({
        code: 0,
        err: '',
      })
      return parseEnv(await readFile(join(folder, name), 'utf8'))
    }),
  )
  const keys = made.flatMap((env) => [
    env['OUTBOUND_WEBHOOK_ENCRYPTION_KEY'],
    env['INBOUND_WEBHOOK_ENCRYPTION_KEY'],
  ])
  expect(new Set(keys).size).toBe(4)
  const again = await runCommand(folder, ['init', ...options({ output: 'one.env' })], platform)
  expect(again).toMatchObject({ code: 1, out: '', err: expect.stringMatching(/^one\.env already exists/) })
  expect(parseEnv(await readFile(join(folder, 'one.env'), 'utf8'))).toEqual(made[0])
})

test('without a terminal all that lacks is named at once, and each wrong answer ends it with the way to mend it', async () => {
  const none = await runCommand(folder, ['init'], { CHAT_API_URL: sim.apiUrl })
  expect(none).toMatchObject({ code: 1, out: '' })
  expect(none.err.split('\n').map((line) => line.split(':')[0])).toEqual([
    'CHAT_BOT_TOKEN or CHAT_BOT_TOKEN_FILE is missing',
    'CHAT_CLIENT_SECRET or CHAT_CLIENT_SECRET_FILE is missing',
    '--server is missing',
    '--admin-role is missing',
    '',
  ])
  const wrong: [Record<string, string>, Record<string, string>, RegExp][] = [
    [{ CHAT_BOT_TOKEN: 'planted', CHAT_BOT_TOKEN_FILE: '' }, {}, /^PROBLEM +CHAT_BOT_TOKEN .*Copy it again/m],
    [
      { CHAT_CLIENT_SECRET: 'planted', CHAT_CLIENT_SECRET_FILE: '' },
      {},
      /^PROBLEM +CHAT_CLIENT_SECRET .*Copy both/m,
    ],
    [{}, { server: demo.users.ada }, /^PROBLEM +CHAT_GUILD_ID/m],
    [{}, { 'admin-role': 'Nobody' }, /^PROBLEM +CHAT_ADMIN_ROLE_ID +must be a Discord ID/m],
    [{}, { 'public-url': 'http://id.example' }, /^PROBLEM +PUBLIC_URL +must begin with https/m],
    // This callback URL is not registered with Discord.
    [{}, {}, /^PROBLEM +CHAT_CALLBACK_URL .*Add it to the redirects/m],
  ]
  for (const [env, more, told] of wrong) {
    const { code, out, err } = await runCommand(folder, ['init', ...options(more)], { ...platform, ...env })
    expect([code, err]).toEqual([1, 'Nothing was written.\n'])
    expect(out).toMatch(told)
    expect(out).not.toContain('planted')
  }
  await expect(stat(join(folder, '.env'))).rejects.toThrow('ENOENT')
})

test('at a terminal it asks, asks again after a wrong answer, takes what is offered for an empty one, and shows no secret', async () => {
  allowCallback()
  const { CHAT_API_URL, CHAT_AUTHORIZE_URL } = platform
  const terminal = spawn('script', ['-qefc', `${process.execPath} ${program} init`, '/dev/null'], {
    cwd: folder,
    env: { PATH: process.env['PATH'], CHAT_API_URL, CHAT_AUTHORIZE_URL },
  })
  let output = ''
  terminal.stdout.on('data', (text) => {
    output = stripVTControlCharacters(output + text)
  })
  const ended = once(terminal, 'close')
  const answers: [RegExp, string][] = [
    [/Bot token[^:]*: $/, 'planted-wrong-token'],
    [/PROBLEM +CHAT_BOT_TOKEN.*Copy it again[\s\S]*Bot token[^:]*: $/, sim.app.botToken],
    [/Client secret[^:]*: $/, sim.app.clientSecret],
    [/Invite the bot to your server: http[\s\S]*ID of the main server[^:]*: $/, demo.mainGuildId],
    [/Roles: .*Steward[\s\S]*Role for System Admins[\s\S]*: $/, 'Steward'],
    [/Address for browsers \[http:\/\/127\.0\.0\.1:3000\]: $/, `http://127.0.0.1:${port}`],
    [/Database.*\[pglite:\.rolecall\/own\]: $/, ''],
    [/Name of the first project[^:]*: $/, ''],
  ]
  for (const [question, answer] of answers) {
    await expect.poll(() => output, { timeout: 30_000 }).toMatch(question)
    terminal.stdin.write(`${answer}\r`)
  }
  expect(await ended, output).toEqual([0, null])
  noteRun('rolecall init')
  expect(output).toContain('wrote    .env')
  for (const secret of ['planted', sim.app.botToken, sim.app.clientSecret])
    expect(output).not.toContain(secret)
  const env = parseEnv(await readFile(join(folder, '.env'), 'utf8'))
  expect(env).toMatchObject({ CHAT_ADMIN_ROLE_ID: demo.adminRoleId, DATABASE_URL: 'pglite:.rolecall/own' })
}, 120_000)

test('for PostgreSQL it also asks for the cache, the workers, and the proxies', async () => {
  sim.allowRedirect('https://id.example/api/auth/callback')
  const [database, redis] = await Promise.all([createDatabase('postgres'), startRedis()])
  try {
    const flags = {
      'public-url': 'https://id.example',
      database: database.url,
      project: '',
      'redirect-uri': '',
    }
    const command = [process.execPath, program, 'init', ...options(flags)].map((one) => `'${one}'`).join(' ')
    const terminal = spawn('script', ['-qefc', command, '/dev/null'], {
      cwd: folder,
      env: { PATH: process.env['PATH'], ...platform },
    })
    let output = ''
    terminal.stdout.on('data', (text) => {
      output = stripVTControlCharacters(output + text)
    })
    const ended = once(terminal, 'close')
    const answers: [RegExp, string][] = [
      [/Cache: [^\n]* \[memory:\]: $/, 'redis://127.0.0.1:1'],
      [/PROBLEM +CACHE_URL +does not respond[\s\S]*\[memory:\]: $/, redis.url],
      [/Worker processes[^\n]* \[auto\]: $/, 'three'],
      [/PROBLEM +WORKERS[\s\S]*\[auto\]: $/, '3'],
      [/reverse proxies[^\n]*: $/, '10.0.0.0/8'],
      [/Name of the first project[^:]*: $/, ''],
    ]
    for (const [question, answer] of answers) {
      await expect.poll(() => output, { timeout: 30_000 }).toMatch(question)
      terminal.stdin.write(`${answer}\r`)
    }
    expect(await ended, output).toEqual([0, null])
    const env = parseEnv(await readFile(join(folder, '.env'), 'utf8'))
    expect(env).toMatchObject({ CACHE_URL: redis.url, WORKERS: '3', TRUST_PROXY: '10.0.0.0/8' })
    expect(env).not.toHaveProperty('SINGLE_INSTANCE')
    await rm(join(folder, '.env'))
    // Without a terminal, the suggested answers are used.
    const { code, err } = await runCommand(folder, ['init', ...options(flags)], platform)
    expect([code, err]).toEqual([0, ''])
    const alone = parseEnv(await readFile(join(folder, '.env'), 'utf8'))
    expect(alone).toMatchObject({ CACHE_URL: 'memory:', SINGLE_INSTANCE: 'true' })
  } finally {
    await redis.stop()
    await database.drop()
  }
}, 120_000)

test('for compose the environment is of its network, with one fresh password for the database and who asks it', async () => {
  sim.allowRedirect('https://id.example/api/auth/callback')
  const more = { 'public-url': 'https://id.example', output: 'rolecall.env', project: '', 'redirect-uri': '' }
  const { code, err } = await runCommand(folder, ['init', '--compose', ...options(more)], platform)
  expect([code, err]).toEqual([0, ''])
  const env = parseEnv(await readFile(join(folder, 'rolecall.env'), 'utf8'))
  expect(env).toMatchObject({ NODE_ENV: 'production', HOST: '0.0.0.0', CACHE_URL: 'redis://valkey:6379' })
  expect(env['DATABASE_URL']).toBe(`postgres://rolecall:${env['POSTGRES_PASSWORD']}@postgres:5432/rolecall`)
})
