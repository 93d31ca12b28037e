import { afterAll, describe, expect, test } from 'vitest'
import { freePort } from '../../../../tools/free-port.js'
import { openDatabase } from '../../src/platform/db/open-database.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { emptyDatabaseForTests } from '../database-for-tests.ts'
import { mainEngines } from '../databases.ts'
import { folderForTests, simForTests } from '../process-for-tests.ts'
import { environmentFor, type ServiceProcess, startService } from './service-process.ts'

describe.each(mainEngines)('what a process on %s has counted when it ends', { timeout: 90_000 }, (engine) => {
  const sim = simForTests()
  const database = emptyDatabaseForTests(engine)
  const folder = folderForTests('rolecall-recorder-')
  let service: ServiceProcess
  afterAll(() => service.kill('SIGKILL'))

  const start = async () => {
    service = startService(folder, {
      ...environmentFor(sim, await freePort()),
      DATABASE_URL: database.url,
      RATE_LIMIT_GLOBAL: '0',
    })
    await service.listening
  }
  /** Sends requests until `stop` is called. Returns the times of all responses. */
  const askOn = () => {
    const answers: number[] = []
    let isAsking = true
    const lane = async () => {
      while (isAsking) {
        const status = await fetch(`${service.url}/api/auth/validate`, { method: 'POST', body: '{}' }).then(
          async (response) => {
            await response.arrayBuffer()
            return response.status
          },
          () => 0,
        )
        if (status === 0) return
        expect(status).toBe(401)
        answers.push(performance.now())
      }
    }
    const lanes = Promise.all([lane(), lane()])
    return {
      answers,
      stop: () => {
        isAsking = false
        return lanes
      },
      /** Resolves when the service has ended. */
      ended: lanes,
    }
  }
  /** Returns the rows in the database. Call it after the process has ended. */
  const written = async () => {
    const db = await openDatabase(database.url)
    const row = await db.maybeOne<{ counts: number; failures: number }>(sql`
      select (select coalesce(sum(count), 0)::int8 from usage_minutes where route = 'POST /api/auth/validate') as counts,
        (select count(*) from auth_failures) as failures`)
    await db.execute(sql`delete from usage_minutes`)
    await db.execute(sql`delete from auth_failures`)
    await db.close()
    return row
  }

  test('is all there after SIGTERM', async () => {
    await start()
    const asking = askOn()
    await expect.poll(() => asking.answers.length).toBeGreaterThan(100)
    await asking.stop()
    expect(await service.kill('SIGTERM')).toBe(0)
    const asked = asking.answers.length
    expect(await written()).toEqual({ counts: asked, failures: Math.min(asked, 5_000) })
  })

  test('misses no more than its last second after SIGKILL', async () => {
    await start()
    const asking = askOn()
    const began = performance.now()
    await expect.poll(() => performance.now() - began).toBeGreaterThan(2_500)
    const killed = performance.now()
    await service.kill('SIGKILL')
    await asking.ended
    const owed = asking.answers.filter((at) => at < killed - 1_000).length
    expect(owed).toBeGreaterThan(50)
    expect((await written())?.counts).toBeGreaterThanOrEqual(owed)
  })
})
