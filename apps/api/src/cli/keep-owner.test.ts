import { chownSync, readdirSync, statSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { asOtherUser, otherUser } from '../../test/as-other-user.ts'
import { runCommand } from '../../test/command.ts'
import { copyTemplate } from '../../test/databases.ts'
import { unmadeFolder } from './unmade-folder.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rolecall-owner-'))
  // As systemd does for a service with a dynamic user: only root can reach the folder of the service from outside.
  await chmod(folder, 0o700)
})
afterEach(() => rm(folder, { recursive: true, force: true }))

/** The owners of everything in a folder. */
const ownersOf = (path: string) => [
  ...new Set(
    ['', ...readdirSync(path, { recursive: true, encoding: 'utf8' })].map(
      (name) => statSync(join(path, name)).uid,
    ),
  ),
]
const giveAway = (path: string) => {
  for (const name of ['', ...readdirSync(path, { recursive: true, encoding: 'utf8' })])
    chownSync(join(path, name), otherUser, otherUser)
}

test('commands that root runs on the folder of a service leave every file to the owner of the folder', async ({
  skip,
}) => {
  if (process.getuid?.() !== 0) return skip('not root')
  const state = join(folder, 'state')
  await mkdir(state)
  await copyTemplate(join(state, 'db'))
  giveAway(state)
  const env = { DATABASE_URL: `pglite:${join(state, 'db')}` }
  const commands = [['backup', 'made.tar.gz'], ['doctor'], ['migrate'], ['sessions', 'revoke', '--all']]
  for (const args of commands) {
    const { code, err } = await runCommand(folder, args, env)
    if (args[0] !== 'doctor') expect([code, err]).toEqual([0, ''])
    expect(ownersOf(state), args.join(' ')).toEqual([otherUser])
  }
  // The file is for the person who made it.
  expect(statSync(join(folder, 'made.tar.gz')).uid).toBe(0)

  await rm(join(state, 'db'), { recursive: true })
  expect((await runCommand(folder, ['restore', 'made.tar.gz'], env)).code).toBe(0)
  expect(ownersOf(state)).toEqual([otherUser])
}, 120_000)

test('a folder that this user may not read is a matter of permissions, and not taken for a new one', async ({
  skip,
}) => {
  if (process.getuid?.() !== 0) return skip('not root')
  const closed = join(folder, 'closed')
  await mkdir(closed, { mode: 0o700 })
  await chmod(folder, 0o755)
  await asOtherUser(() =>
    expect(() => unmadeFolder({ databaseUrl: `pglite:${closed}` })).toThrow(
      /cannot be used: this user cannot write there\. Give this user the permission/,
    ),
  )
})
