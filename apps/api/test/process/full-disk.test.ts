import { execFileSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { freePort } from '../../../../tools/free-port.js'
import { call } from '../client.ts'
import { copyTemplate } from '../databases.ts'
import { walkAdminLogin } from '../given.ts'
import { simForTests } from '../process-for-tests.ts'
import { environmentFor, type ServiceProcess, startService } from './service-process.ts'

const sim = simForTests({ headlessLogin: true })
let folder: string
let environment: Record<string, string>
let service: ServiceProcess
const start = async () => {
  service = startService(folder, environment)
  await service.listening
}
beforeAll(async () => {
  environment = { ...environmentFor(sim, await freePort()), DRAIN_SEC: '0' }
  sim.allowRedirect(environment['CHAT_CALLBACK_URL'] as string)
})
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rolecall-full-'))
  await copyTemplate(join(folder, 'data'))
  await start()
}, 60_000)
afterEach(async () => {
  await service.kill('SIGKILL')
  await rm(folder, { recursive: true, force: true })
})

const login = () => walkAdminLogin({ url: service.url, sim })
const statusOf = async (token: string) =>
  (await call(service.url, 'GET', '/api/auth/sessions', { token })).status

/** Makes all later writes of the process to files fail, including the next write to the log of the database. */
function refuseWrites(): boolean {
  try {
    execFileSync('prlimit', ['--pid', String(service.child.pid), '--fsize=1'], { stdio: 'ignore' })
    return true
  } catch {
    console.warn('The limit of a running process cannot be changed here: writes that fail are not tested.')
    return false
  }
}
const linesAboutIt = () => service.output().split('embedded database stopped, ending').length - 1

test('a write into the log that fails ends the process at once, in one line, and no acknowledged write is lost', async ({
  skip,
}) => {
  const tokens = [await login(), await login()]
  if (!refuseWrites()) return skip('no prlimit')
  // The engine ends during this request, which is rejected or gets no response.
  await expect(login()).rejects.toThrow()
  expect(await service.ended).toBe(1)
  expect(linesAboutIt()).toBe(1)
  expect(service.output()).toMatch(
    /every acknowledged change is safe: this process may not write files of the size/,
  )

  await start()
  for (const token of tokens) expect(await statusOf(token)).toBe(200)
}, 90_000)

test('a write that fails within a stop ends the process with 1', async ({ skip }) => {
  const token = await login()
  if (!refuseWrites()) return skip('no prlimit')
  expect(await service.kill('SIGTERM')).toBe(1)
  expect(linesAboutIt()).toBe(1)

  await start()
  expect(await statusOf(token)).toBe(200)
}, 90_000)
