import { describe, expect, test } from 'vitest'
import { call } from '../../../test/client.ts'
import { engines } from '../../../test/databases.ts'
import { openEvents } from '../../../test/event-reader.ts'
import { givenAdmin, givenProject } from '../../../test/given.ts'
import { worldForTests } from '../../../test/world-for-tests.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import { createKeyChecks } from './key-checks.ts'

describe('checks of keys for streams', () => {
  const streams = Array.from({ length: 600 })

  test('of one key in one turn are one check, and of the next turn another', async () => {
    const asked: string[] = []
    let isRevoked = false
    const isKeyValid = createKeyChecks(async (key) => {
      asked.push(key)
      if (isRevoked) throw new ApiError('INVALID_API_KEY')
      return 'a project'
    })
    expect(new Set(await Promise.all(streams.map(() => isKeyValid('first'))))).toEqual(new Set([true]))
    isRevoked = true
    const answers = await Promise.all(streams.flatMap(() => [isKeyValid('first'), isKeyValid('second')]))
    expect(new Set(answers)).toEqual(new Set([false]))
    expect(asked).toEqual(['first', 'first', 'second'])
  })

  test('fail in an outage, which says nothing about a key', async () => {
    const isKeyValid = createKeyChecks(() => Promise.reject(new Error('down')))
    await expect(isKeyValid('first')).rejects.toThrow('down')
  })
})

describe.each(engines)('600 streams of one project, on %s', (engine) => {
  const world = worldForTests(engine, { RATE_LIMIT_GLOBAL: '0' })

  test('all end when their key is revoked, and share the statements that check it', async () => {
    const token = await givenAdmin(world)
    // The token is in memory from here on, so that only the streams read from the database.
    expect((await call(world.url, 'GET', '/api/admin/profile', { token })).status).toBe(200)
    const project = await givenProject(world)
    const streams = Array.from({ length: 600 })
    const readers = await Promise.all(streams.map(() => openEvents(world.url, project, { heartbeat: 60 })))
    const sent = await world.service.statementsOf(async () => {
      const path = `/api/admin/projects/${project.id}/key`
      expect((await call(world.url, 'DELETE', path, { token })).status).toBe(204)
      await Promise.all(readers.map(({ ended }) => ended))
    })
    for (const reader of readers) expect(reader.types()).toContain('project.disabled')
    const checks = sent.filter((text) => text.includes('"keyProjectId"')).length
    expect(checks).toBeGreaterThan(0)
    // One of each stream would be 600. The request itself reads too, and on a busy machine the event arrives in parts.
    expect(checks).toBeLessThan(60)
  })
})
