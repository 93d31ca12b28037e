import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { demo } from '@rolecall/chat-sim'
import { beforeAll, describe, expect, test } from 'vitest'
import { emptyDatabaseForTests } from '../../apps/api/test/database-for-tests.ts'
import { folderForTests, redisForTests, simForTests } from '../../apps/api/test/process-for-tests.ts'
import { freePort } from '../free-port.js'
import { commandsOfSource, read } from './collect.ts'
import { noteRun } from './notes.ts'
import { filledIn, path, runShown } from './run.ts'

const page = 'apps/api/src/main.ts'
const examples = commandsOfSource(page, read(page)).map(({ text }) => text)

/** Returns the example with this text. Throws if the example has changed. */
function example(text: string): string {
  const found = examples.find((one) => one === text)
  if (found === undefined) throw new Error(`No --help shows ${text}`)
  return found
}

const folder = folderForTests('rolecall-help-')
const sim = simForTests()
const database = emptyDatabaseForTests('postgres')
const redis = redisForTests()
let env: Record<string, string>
beforeAll(async () => {
  env = {
    CHAT_API_URL: sim.apiUrl,
    CHAT_AUTHORIZE_URL: sim.authorizeUrl,
    CHAT_GATEWAY: 'off',
    CHAT_BOT_TOKEN: sim.app.botToken,
    CHAT_CLIENT_SECRET: sim.app.clientSecret,
    PORT: String(await freePort()),
  }
})

const run = (text: string, fill: Record<string, string> = {}, more: Record<string, string> = {}) =>
  runShown(example(text), { cwd: folder, env: { ...env, ...more }, fill })

/** Starts the service with a command, waits until it listens, and stops it like Ctrl-C. */
async function serve(text: string, fill: Record<string, string> = {}, more: Record<string, string> = {}) {
  const child = spawn('sh', ['-ec', filledIn(text, fill)], {
    cwd: folder,
    env: { PATH: path, ...env, ...more },
    detached: true,
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text))
  const ended = once(child, 'close')
  try {
    await expect
      .poll(() => (child.exitCode === null ? output : `ended: ${output}`), { timeout: 60_000 })
      .toMatch(/^ended: |"msg":"listening on /)
    expect(child.exitCode, output).toBe(null)
  } finally {
    if (child.pid && child.exitCode === null) process.kill(-child.pid, 'SIGINT')
    await ended
  }
  noteRun(text)
}

describe('the examples of --help', () => {
  test('set the service up in an empty folder, back it up, and start it', { timeout: 400_000 }, async () => {
    sim.allowRedirect('https://id.example/api/auth/callback')
    expect(await runShown('rolecall --help', { cwd: folder })).toContain('rolecall doctor')
    expect(await runShown('rolecall init --help', { cwd: folder })).toContain('--redirect-uri')
    expect(await runShown('rolecall projects create --help', { cwd: folder })).toContain('--redirect-uri')
    // The example of `projects create` needs the name Site, so this one uses another name.
    const fill = { '110…': demo.mainGuildId, '--project Site': '--project Home' }
    const init =
      'rolecall init --server 110… --admin-role Steward --public-url https://id.example --project Site --redirect-uri https://site.example/callback'
    expect(await run(init, fill)).toContain('wrote    .env')
    expect(await run('rolecall doctor')).not.toContain('PROBLEM')
    const production = { SINGLE_INSTANCE: 'true', TRUST_PROXY: '127.0.0.1' }
    expect(await run('NODE_ENV=production rolecall doctor', {}, production)).not.toContain('PROBLEM')
    const create = 'rolecall projects create Site --redirect-uri https://site.example/callback'
    expect(await run(create)).toMatch(/^API key {2}rck_/m)
    await run('rolecall backup rolecall-2026-11-22.tar.gz')
    await rm(join(folder, '.rolecall'), { recursive: true })
    expect(await run('rolecall restore rolecall-2026-11-22.tar.gz')).toContain('rolecall migrate')
    await serve(example('rolecall migrate && rolecall serve'))
    await serve(example('rolecall serve'))
    const profiled = 'node --cpu-prof --cpu-prof-dir=FOLDER "$(command -v rolecall)" serve'
    expect(read('docs/runbooks/RolecallEventLoopBlocked.md')).toContain(profiled)
    await serve(profiled, { FOLDER: 'profiles' })
    expect(readdirSync(join(folder, 'profiles')).join()).toMatch(/\.cpuprofile$/)
    await run('PUBLIC_URL=https://id.example rolecall openapi > openapi.json')
    expect(JSON.parse(readFileSync(join(folder, 'openapi.json'), 'utf8')).openapi).toBe('3.1.0')
  })

  test('maintain a PostgreSQL database', { timeout: 240_000 }, async () => {
    const fill = { 'postgres://…': database.url }
    await run('DATABASE_URL=postgres://owner@… rolecall migrate', { 'postgres://owner@…': database.url })
    expect(await run('DATABASE_URL=postgres://… rolecall audit verify', fill)).toMatch(/^ok {2}\d+ entries/)
    const revoke = 'DATABASE_URL=postgres://… rolecall sessions revoke --all'
    expect(await run(revoke, fill)).toContain('ended  0 sessions')
    const key = randomBytes(32).toString('hex')
    await run('DATABASE_URL=postgres://… OUTBOUND_WEBHOOK_ENCRYPTION_KEY=… rolecall oidc rotate-keys', {
      ...fill,
      'KEY=…': `KEY=${key}`,
    })
    await serve(
      example('DATABASE_URL=postgres://… CACHE_URL=redis://… rolecall serve'),
      { ...fill, 'redis://…': redis.url },
      { OUTBOUND_WEBHOOK_ENCRYPTION_KEY: key },
    )
  })
})
