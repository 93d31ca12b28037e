import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { engines } from '../../../test/databases.ts'
import { startWorld, type World } from '../../../test/service.ts'
import { checkKeyFingerprints } from './check-fingerprints.ts'

describe.each(engines)('key fingerprints on %s', (engine) => {
  let world: World
  beforeAll(async () => {
    world = await startWorld(engine)
  })
  afterAll(() => world.close())

  test('the first start notes them, the same keys pass, and a changed key is named without its value', async () => {
    const { db } = world.service.deps
    const keys = { outboundKey: 'a'.repeat(64), inboundKey: 'b'.repeat(64) }
    expect(await checkKeyFingerprints(db, keys)).toEqual([])
    expect(await checkKeyFingerprints(db, keys)).toEqual([])
    const [problem, ...rest] = await checkKeyFingerprints(db, { ...keys, inboundKey: 'c'.repeat(64) })
    expect(rest).toEqual([])
    expect(problem).toMatch(/^INBOUND_WEBHOOK_ENCRYPTION_KEY is not the key/)
    expect(problem).not.toContain('ccc')
  })
})
