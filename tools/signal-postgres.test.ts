import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { folderForTests } from '../apps/api/test/process-for-tests.ts'
import { signalPostgres } from './signal-postgres.js'

const data = folderForTests('rolecall-signal-')

/** Starts a program that stands for the server of the data folder. */
function server(command: string) {
  const child = spawn('sh', ['-c', command], { stdio: ['ignore', 'pipe', 'ignore'] })
  writeFileSync(join(data, 'postmaster.pid'), `${child.pid}\n${data}\n`)
  return child
}

test('the server and its children receive the signal', async () => {
  const child = server('sleep 600 & echo ready; wait')
  await once(child.stdout, 'data')
  signalPostgres(data, 'SIGTERM')
  // The output closes only when the last process that holds it has ended.
  expect(await once(child, 'close')).toEqual([null, 'SIGTERM'])
})

test('a process that has ended since it was listed is skipped', async () => {
  await once(server('exit'), 'close')
  expect(() => signalPostgres(data, 'SIGCONT')).not.toThrow()
})
