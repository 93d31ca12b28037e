import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { read } from '../../../../tools/shown/collect.ts'
import { runCommand } from '../../test/command.ts'
import { emptyDatabaseForTests } from '../../test/database-for-tests.ts'
import { folderForTests, simForTests } from '../../test/process-for-tests.ts'
import { environmentFor } from '../../test/service.ts'
import type { Database } from '../platform/db/database.ts'
import { openDatabase } from '../platform/db/open-database.ts'
import { sql } from '../platform/db/sql.ts'

const role = `role_${randomBytes(6).toString('hex')}`
const folder = folderForTests('rolecall-roles-')
const sim = simForTests()
const database = emptyDatabaseForTests('postgres')
let owner: Database
let environment: Record<string, string>
beforeAll(async () => {
  owner = await openDatabase(database.url)
  await owner.script(`create role ${role} login password 'planted'`)
  const url = new URL(database.url)
  url.username = role
  url.password = 'planted'
  environment = { ...environmentFor(sim), DATABASE_URL: url.href }
})
afterAll(async () => {
  await owner.script(`drop owned by ${role}; drop role ${role}`)
  await owner.close()
})

const rolecall = (command: string) => runCommand(folder, [command], environment)
const databaseLine = async () =>
  (await rolecall('doctor')).out.split('\n').find((line) => line.includes('  database  '))

test('a missing table permission is reported with its grant, without a stack trace', async () => {
  const lacks =
    /lacks a permission \(permission denied for table \w+\)\. As the owner .* grant that role select, insert, update/
  expect(await databaseLine()).toMatch(lacks)
  for (const command of ['serve', 'migrate']) {
    const { code, err } = await rolecall(command)
    expect(code).toBe(1)
    expect(err.trim().split('\n')).toEqual([expect.stringMatching(/role of DATABASE_URL (lacks|cannot)/)])
  }
  await owner.script(`grant select on all tables in schema public to ${role}`)
  const { code, err } = await rolecall('serve')
  expect([code, err.trim().split('\n')]).toEqual([1, [expect.stringMatching(lacks)]])

  const grants = [...read('docs/guides/running.md').matchAll(/`(grant [^`]+) to ROLE`/g)]
  for (const [, grant] of grants) await owner.script(`${grant} to ${role}`)
  expect(await databaseLine()).toMatch(/^ok /)
  const asRole = await openDatabase(environment['DATABASE_URL'] ?? '')
  // Each delivery takes its place from a sequence.
  await asRole.execute(sql`select nextval('delivery_places')`)
  await asRole.close()
})

test.each([
  ['role', () => `alter role ${role} connection limit`],
  ['database', () => `alter database ${new URL(database.url).pathname.slice(1)} connection limit`],
])('a reached connection limit of the %s is not reported as a wrong role or database', async (_, limit) => {
  await owner.script(`${limit()} 0`)
  expect(await databaseLine()).toMatch(
    /^PROBLEM +database +responds, but refuses \(53300: too many connections .*\)\. Close other connections, or raise/,
  )
  await owner.script(`${limit()} -1`)
})

test('a statement_timeout that is too short is named', async () => {
  await owner.script(`alter role ${role} set statement_timeout = '1ms'`)
  expect(await databaseLine()).toMatch(
    /^PROBLEM +database +responds, but refuses \(\w+: .* timeout\)\. Raise this time limit for the role/,
  )
  await owner.script(`alter role ${role} reset statement_timeout`)
})
