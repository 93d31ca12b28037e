import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { freePort } from '../../../../tools/free-port.js'
import { openDatabase } from '../../src/platform/db/open-database.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { copyTemplate, createDatabase, engines, type TestDatabase } from '../databases.ts'
import { folderForTests, simForTests } from '../process-for-tests.ts'
import { environmentFor, type ServiceProcess, startService } from './service-process.ts'

describe.each(engines)(
  'rolecall serve on %s that a newer version has migrated',
  { timeout: 60_000 },
  (engine) => {
    const sim = simForTests()
    const folder = folderForTests('rolecall-newer-')
    let database: TestDatabase
    let service: ServiceProcess | undefined
    beforeEach(async () => {
      database = await createDatabase(engine)
    })
    afterEach(async () => {
      await service?.kill('SIGKILL')
      await database.drop()
    })
    const plant = async (needs: string | null) => {
      const db = await openDatabase(database.url)
      await db.script('create table of_a_newer_version (id int primary key)')
      await db.execute(
        sql`insert into migrations (name, checksum, needs) values ('9999_added.sql', 'x', ${needs})`,
      )
      await db.close()
    }
    const start = async () => {
      service = startService(folder, { ...environmentFor(sim, await freePort()), DATABASE_URL: database.url })
      return service
    }

    test('works, and says so in one line', async () => {
      await plant(null)
      const { listening, url, output } = await start()
      await listening
      expect((await fetch(`${url}/api/health/ready`)).status).toBe(200)
      const warnings = output()
        .split('\n')
        .filter((line) => line.includes('"level":40'))
      expect(warnings).toHaveLength(1)
      expect(warnings[0]).toContain('9999_added.sql of a newer version. This version works with it')
    })

    test('refuses in one sentence when that needs a newer one', async () => {
      await plant('9999_added.sql')
      const { ended, output } = await start()
      expect(await ended).toBe(1)
      expect(output().trim()).toBe(
        'The database has 9999_added.sql of a newer version, which requires 9999_added.sql. Start a version with that migration, or restore a backup from before the update.',
      )
    })
  },
)

test('npm start with the data of an unreleased version stops with one sentence that names the fix', {
  timeout: 60_000,
}, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'rolecall-old-demo-'))
  const data = join(folder, '.rolecall')
  await mkdir(data)
  await copyTemplate(join(data, 'db'))
  const db = await openDatabase(`pglite:${join(data, 'db')}`)
  await db.script("update migrations set name = '0001_clock.sql' where name like '0001%'")
  await db.close()
  const key = '0'.repeat(64)
  await writeFile(
    join(data, 'demo.json'),
    JSON.stringify({ outboundKey: key, inboundKey: key, isSeeded: true }),
  )
  const ports = {
    PORT: `${await freePort()}`,
    DEMO_PORT: `${await freePort()}`,
    CHAT_SIM_PORT: `${await freePort()}`,
  }
  const program = fileURLToPath(new URL('../../../../examples/demo-site/bin/demo.js', import.meta.url))
  const demo = promisify(execFile)(process.execPath, [program], {
    cwd: folder,
    env: { ...process.env, ...ports },
  })
  await expect(demo).rejects.toMatchObject({
    code: 1,
    stderr:
      'The service did not start: The database was created by an unreleased version, which this version cannot update. Export your data with that version, then start this version with an empty data folder (delete or move .rolecall/db, or the folder that DATABASE_URL names).\n',
  })
  await rm(folder, { recursive: true })
})
