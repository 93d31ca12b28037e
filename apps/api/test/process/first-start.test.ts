import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { brief } from '../../../../tools/brief.ts'
import { buildOnce } from '../../../../tools/build-once.js'
import { program } from '../command.ts'
import { folderForTests } from '../process-for-tests.ts'

const folder = folderForTests('rolecall-first-')
beforeAll(async () => {
  await buildOnce(() => {})
})

const migrate = () =>
  spawn(process.execPath, [...brief, program, 'migrate'], {
    cwd: folder,
    env: { PATH: process.env['PATH'], DATABASE_URL: 'pglite:data' },
    stdio: 'ignore',
  })

test('an embedded database whose first creation was killed, at any point, is made by the next start', async () => {
  for (const afterMs of [300, 600, 900, 1_200, 1_700, 2_500]) {
    const killed = migrate()
    const ended = once(killed, 'exit')
    await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, afterMs))])
    killed.kill('SIGKILL')
    await ended
  }
  expect(await once(migrate(), 'exit')).toEqual([0, null])
  expect(await readdir(folder)).toEqual(['data'])
}, 60_000)

test('of two that start at once on one folder exactly one gets it', async () => {
  await rm(join(folder, 'data'), { recursive: true, force: true })
  const codes = await Promise.all([migrate(), migrate(), migrate()].map(async (one) => once(one, 'exit')))
  expect(codes.map(([code]) => code).sort()).toEqual([0, 1, 1])
}, 60_000)
