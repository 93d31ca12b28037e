import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, chown, mkdir, readdir, rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { asOtherUser, otherUser } from '../../../test/as-other-user.ts'
import { folderForTests } from '../../../test/process-for-tests.ts'
import { openPglite } from './pglite.ts'
import { archiveFolder, unarchiveFolder } from './pglite-archive.ts'
import { sql } from './sql.ts'

const folder = folderForTests('rolecall-room-')
let archive: Uint8Array
/** A disk with space for a third of a database; undefined if this user may not mount one. */
let smallDisk: string | undefined
beforeAll(async () => {
  const pglite = await PGlite.create()
  archive = new Uint8Array(await (await pglite.dumpDataDir('gzip')).arrayBuffer())
  await pglite.close()
  const disk = join(folder, 'disk')
  await mkdir(disk)
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=12m', 'tmpfs', disk], { stdio: 'ignore' })
    smallDisk = disk
  } catch {
    console.warn('No small disk can be mounted here: what a full disk does to a folder is not tested.')
  }
}, 60_000)
afterAll(async () => {
  if (smallDisk) execFileSync('umount', ['--lazy', smallDisk])
})

async function unarchived(name: string) {
  await unarchiveFolder(join(folder, name), archive, async () => {})
  return join(folder, name)
}

/** Permissions are not the cause. */
const advice = (path: string) =>
  new RegExp(
    `^The data folder ${path} cannot be used: its disk is full\\. Free some space(?!.*(permission|restore))`,
  )

test('a first start on a full disk says so and leaves nothing behind', async ({ skip }) => {
  if (!smallDisk) return skip('no small disk')
  const data = join(smallDisk, 'data')
  await expect(openPglite(data)).rejects.toMatchObject({
    name: 'FolderUnusable',
    message: expect.stringMatching(advice(data)),
  })
  expect(existsSync(`${data}.creating`)).toBe(false)
}, 60_000)

test('a restore on a full disk blames the disk and not the backup, and leaves nothing behind', async ({
  skip,
}) => {
  if (!smallDisk) return skip('no small disk')
  const target = join(smallDisk, 'restored')
  await expect(unarchiveFolder(target, archive, async () => {})).rejects.toMatchObject({
    name: 'FolderUnusable',
    message: expect.stringMatching(advice(target)),
  })
  expect([existsSync(target), existsSync(`${target}.restoring`)]).toEqual([false, false])
}, 60_000)

test('a database on a disk that has become full is not taken for a damaged one, and is whole again with room', async ({
  skip,
}) => {
  if (!smallDisk) return skip('no small disk')
  const data = join(smallDisk, 'grown')
  execFileSync('mount', ['-o', 'remount,size=80m', smallDisk])
  const db = await openPglite(data)
  await db.script('create table kept (word text); insert into kept values ($$kept$$)')
  await db.close()
  const fill = join(smallDisk, 'fill')
  await writeFile(fill, Buffer.alloc(80_000_000)).catch(() => {})
  try {
    await expect(openPglite(data)).rejects.toThrow(advice(data))
    await expect(archiveFolder(data)).rejects.toThrow(advice(data))
  } finally {
    await rm(fill)
  }
  const again = await openPglite(data)
  expect(await again.query(sql`select word from kept`)).toEqual([{ word: 'kept' }])
  await again.close()
  await rm(data, { recursive: true })
}, 60_000)

test('a file of a database that this user may not read is a matter of permissions, and of no backup', async ({
  skip,
}) => {
  if (process.getuid?.() !== 0) return skip('no other user to become')
  const data = await unarchived('foreign')
  for (const path of await readdir(data, { recursive: true }))
    await chown(join(data, path), otherUser, otherUser)
  for (const path of [folder, data]) await chmod(path, 0o777)
  const control = join(data, 'global', 'pg_control')
  await chown(control, 0, 0)
  await chmod(control, 0o600)
  await asOtherUser(() =>
    expect(openPglite(data)).rejects.toThrow(
      /cannot be used: this user cannot write there\. Give this user the permission(?!.*restore)/,
    ),
  )
}, 60_000)

test('damaged data is told with the reason of the engine, and a backup comes last', async () => {
  const data = await unarchived('damaged')
  await truncate(join(data, 'global', 'pg_control'), 100)
  await expect(openPglite(data)).rejects.toThrow(
    /cannot be used: the database engine does not start on it \(.*pg_control.*\)\. Check its permissions.* restore a backup/,
  )
}, 60_000)

test('a folder that this user may not write to is a matter of permissions, and of no disk', async ({
  skip,
}) => {
  if (process.getuid?.() !== 0) return skip('no other user to become')
  const closed = join(folder, 'closed')
  await mkdir(closed, { mode: 0o700 })
  await asOtherUser(() =>
    expect(openPglite(join(closed, 'data'))).rejects.toThrow(
      /cannot be used: this user cannot write there\. Give this user the permission(?!.*disk)/,
    ),
  )
})

test('a second restore into the same folder is refused and leaves the first one alone', async () => {
  const target = join(folder, 'twice')
  await unarchiveFolder(target, archive, async () => {
    await expect(unarchiveFolder(target, archive, async () => {})).rejects.toMatchObject({
      name: 'FolderInUse',
    })
    expect(existsSync(join(`${target}.restoring`, 'PG_VERSION'))).toBe(true)
  })
  expect(existsSync(join(target, 'PG_VERSION'))).toBe(true)
}, 60_000)

test('a file system that accepts no folders is told, by the service and by a restore', async ({ skip }) => {
  if (!existsSync('/proc/self')) return skip('no such file system here')
  const refused = /^The data folder \/proc\/rolecall\/db cannot be used: no folder can be created there\./
  await expect(openPglite('/proc/rolecall/db')).rejects.toThrow(refused)
  await expect(unarchiveFolder('/proc/rolecall/db', archive, async () => {})).rejects.toThrow(refused)
})

test('a restore below a file says what is in its place', async () => {
  await writeFile(join(folder, 'a-file'), '')
  await expect(unarchiveFolder(join(folder, 'a-file', 'db'), archive, async () => {})).rejects.toThrow(
    /a-file\/db cannot be used: a file has this name\. Move the file/,
  )
})
