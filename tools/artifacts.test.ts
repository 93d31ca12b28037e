import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, test } from 'vitest'
import { composeValues } from '../apps/api/src/cli/init/compose-values.ts'
import { type Variable, variables } from '../apps/api/src/config.ts'
import { parseUrl } from '../apps/api/src/platform/parse-url.ts'
import { startWorld } from '../apps/api/test/service.ts'
import { freePort } from './free-port.js'

const root = fileURLToPath(new URL('..', import.meta.url))
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const has = (program: string) => spawnSync(program, ['--version']).status === 0

const folder = mkdtempSync(join(tmpdir(), 'rolecall-artifacts-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const run = (program: string, ...args: string[]) => {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8', cwd: folder })
  return { status, said: `${stdout}${stderr}` }
}

test('the unit for systemd names the commands of the guide', () => {
  const guide = read('docs/guides/installing.md')
  const [head = ''] = read('deploy/systemd/rolecall.service').split('[Unit]')
  const commands = head.match(/^# {3}.*$/gm) ?? []
  expect(commands).toHaveLength(9)
  for (const command of commands) expect(guide).toContain(command.slice(4))
})

describe.skipIf(!has('systemd-analyze'))('the unit for systemd', () => {
  // `verify` checks that the started program exists, independent of the installed packages.
  const unit = join(root, 'deploy/systemd/rolecall.service')

  test('has no key that systemd does not know: it only says so, and starts the unit without', () => {
    expect(run('systemd-analyze', 'verify', unit)).toEqual({ status: 0, said: '' })
  })

  test('exposes less than most services that Debian ships', () => {
    const { status, said } = run('systemd-analyze', 'security', '--offline=true', '--threshold=20', unit)
    expect(status, said).toBe(0)
  })
})

describe('the compose file', () => {
  const { values, extra } = composeValues()
  const text = read('deploy/compose.yml')

  test('has what `rolecall init --compose` names: hosts, the network of the proxy, and the password', () => {
    for (const url of [values.DATABASE_URL, values.CACHE_URL]) {
      expect(text).toMatch(new RegExp(`^  ${new URL(url).hostname}:$`, 'm'))
    }
    expect(text).toContain(`subnet: ${values.TRUST_PROXY}`)
    for (const name of Object.keys(extra)) expect(text).toContain(`\${${name}}`)
    expect(values.DATABASE_URL).toContain(extra.POSTGRES_PASSWORD)
  })

  test('passes the configuration in each of its commands, because it reads the password and the address from it', () => {
    const commands = text.match(/docker compose .*/g) ?? []
    expect(commands).toHaveLength(3)
    for (const command of commands) expect(command).toMatch(/^docker compose --env-file rolecall\.env /)
  })

  test.skipIf(!has('docker-compose'))('is read by docker-compose without a complaint', () => {
    cpSync(join(root, 'deploy/compose.yml'), join(folder, 'compose.yml'))
    const all = { ...values, ...extra, PUBLIC_URL: 'https://id.example' }
    const lines = Object.entries(all).map(([name, value]) => `${name}=${value}`)
    writeFileSync(join(folder, 'rolecall.env'), lines.join('\n'))
    const args = ['--env-file', 'rolecall.env', '--file', 'compose.yml', 'config', '--quiet']
    expect(run('docker-compose', ...args)).toEqual({ status: 0, said: '' })
  })
})

describe('the chart', () => {
  const values = read('deploy/chart/values.yaml')
  const all = Object.values<Variable>(variables)
  const [, environment = ''] = /^environment:\n((?: {2}.*\n)+)/m.exec(values) ?? []
  const [, secrets = ''] = /^ {2}names:\n((?: {4}.*\n)+)/m.exec(values) ?? []
  const namesIn = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, name = '']) => name)

  test('mounts secrets alone as files, and every required one', () => {
    const mounted = namesIn(secrets, /^ {4}- (\w+)$/gm)
    expect(mounted.filter((name) => !all.some((one) => one.name === name && one.secret))).toEqual([])
    const required = all.filter((one) => one.required && one.secret).map(({ name }) => name)
    expect(required.filter((name) => !mounted.includes(name))).toEqual([])
  })

  test('asks for every other required variable, and for no secret', () => {
    const asked = namesIn(environment, /^ {2}(\w+):/gm)
    expect(asked.filter((name) => !all.some((one) => one.name === name && !one.secret))).toEqual([])
    const required = all.filter((one) => one.required && !one.secret).map(({ name }) => name)
    expect(required.filter((name) => !asked.includes(name))).toEqual([])
  })
})

test('the health check of the image, run as it stands, passes for a service that lives and fails for one that is ill or gone', async () => {
  const [, command = ''] = /^HEALTHCHECK [^\n]*\\\n +CMD (\[.*\])$/m.exec(read('Dockerfile')) ?? []
  const [program, ...args] = JSON.parse(command)
  const exitCode = async (port: string) => {
    const child = spawn(program, args, { env: { PATH: process.env['PATH'], PORT: port }, stdio: 'inherit' })
    return (await once(child, 'exit'))[0]
  }
  const world = await startWorld('pglite')
  const ill = createServer((_, response) => response.writeHead(503).end())
  await once(ill.listen(0, '127.0.0.1'), 'listening')
  const address = ill.address()
  try {
    expect(await exitCode(parseUrl(world.url)?.port ?? '')).toBe(0)
    expect(await exitCode(String(typeof address === 'object' && address?.port))).toBe(1)
  } finally {
    ill.close()
    await world.close()
  }
  expect(await exitCode(String(await freePort()))).toBe(1)
})

test('every variable that an artifact sets is one of the service', () => {
  const names = Object.values<Variable>(variables).flatMap(({ name, secret }) =>
    secret ? [name, `${name}_FILE`] : [name],
  )
  const image = (/^ENV (.*)$/m.exec(read('Dockerfile'))?.[1] ?? '')
    .split(' ')
    .map((one) => one.split('=')[0] ?? '')
  const unit = [...read('deploy/systemd/rolecall.service').matchAll(/^#? *Environment=(\w+)=/gm)]
  const chart = [...read('deploy/chart/templates/deployment.yaml').matchAll(/- name: ([A-Z]\w+)$/gm)]
  const set = [...image, ...[...unit, ...chart].map(([, name = '']) => name)]
  expect(set.length).toBeGreaterThan(5)
  expect(set.filter((name) => !names.includes(name) && !['NODE_ENV', 'HOME'].includes(name))).toEqual([])
})
