import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { program, runCommand } from '../../test/command.ts'
import { folderForTests } from '../../test/process-for-tests.ts'
import { openDatabase } from '../platform/db/open-database.ts'

const folder = folderForTests('rolecall-refused-')

const rolecall = (args: string, env: Record<string, string> = {}) => runCommand(folder, args.split(' '), env)

test.each([24, 64])(
  'with room for %i open files a start ends with one sentence that says how to allow more',
  async (files) => {
    const child = spawn(
      'sh',
      ['-c', `ulimit -n ${files}; exec "$0" "$@"`, process.execPath, program, 'serve'],
      {
        cwd: folder,
        env: { PATH: process.env['PATH'] },
      },
    )
    let said = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (text) => {
        said += text
      })
    }
    const [code] = await once(child, 'close')
    expect([code, said.trim().split('\n').length]).toEqual([1, 1])
    expect(said).toContain('ulimit -n 4096')
  },
)

test('a command on a folder that a running service uses says what to do, and where the log is verified meanwhile', async () => {
  const running = await openDatabase(`pglite:${join(folder, 'running')}`)
  const DATABASE_URL = 'pglite:running'
  const told = await rolecall('audit verify', { DATABASE_URL })
  expect([told.code, told.out]).toEqual([1, ''])
  expect(told.err).toBe(
    'A running Rolecall process uses the data folder running. Stop it and run this command again, or verify the log there instead: ' +
      'in the console under Audit, or with POST /api/admin/audit/chain/verify.\n',
  )
  const other = await rolecall('sessions revoke --all', { DATABASE_URL })
  expect(other.err).toBe(
    'A running Rolecall process uses the data folder running. Stop it and run this command again.\n',
  )
  await running.close()
})
