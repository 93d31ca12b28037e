import { describe, expect, test } from 'vitest'
import { seal } from '#platform/crypto/seal'
import { sql } from '#platform/db/sql'
import { engines } from '../../../test/databases.ts'
import { givenProject } from '../../../test/given.ts'
import { givenWebhook } from '../../../test/given-webhook.ts'
import { worldForTests } from '../../../test/world-for-tests.ts'
import { changedKeys, checkKeyFingerprints } from './check-fingerprints.ts'

const problemsOf = async (...given: Parameters<typeof changedKeys>) => (await changedKeys(...given)).problems

describe.each(engines)('key fingerprints on %s', (engine) => {
  const world = worldForTests(engine, { MAX_WEBHOOKS_PER_PROJECT: '100' })

  const keys = { outboundKey: 'a'.repeat(64), inboundKey: 'b'.repeat(64) }
  const changed = { ...keys, inboundKey: 'c'.repeat(64) }

  test('the first start notes them, the same keys pass, and a changed key is named without its value', async () => {
    const { db } = world.service.deps
    expect(await problemsOf(db, changed)).toEqual([])
    expect(await checkKeyFingerprints(db, keys)).toEqual([])
    expect(await checkKeyFingerprints(db, keys)).toEqual([])
    const [problem, ...rest] = await checkKeyFingerprints(db, changed)
    expect(rest).toEqual([])
    expect(problem).toMatch(/^INBOUND_WEBHOOK_ENCRYPTION_KEY is not the key/)
    expect(problem).not.toContain('ccc')
    expect(await problemsOf(db, changed)).toEqual([problem])
  })

  test('the operator makes a new key the known one by deleting the fingerprint of the old one', async () => {
    const { db } = world.service.deps
    await checkKeyFingerprints(db, keys)
    await db.execute(sql`delete from key_fingerprints where purpose = 'INBOUND_WEBHOOK_ENCRYPTION_KEY'`)
    expect(await checkKeyFingerprints(db, changed)).toEqual([])
    expect(await checkKeyFingerprints(db, keys)).toHaveLength(1)
    await db.execute(sql`delete from key_fingerprints where purpose = 'INBOUND_WEBHOOK_ENCRYPTION_KEY'`)
    expect(await checkKeyFingerprints(db, keys)).toEqual([])
  })

  test('a changed inbound key is reported with the webhooks that it hits, and with no others', async () => {
    const { db } = world.service.deps
    const project = await givenProject(world)
    const under = async (key: string, name: string) => {
      const { id } = await givenWebhook(world, project, { name })
      await db.execute(sql`
        update inbound_webhooks set secret_sealed = ${seal(key, id, 'whsec_x')} where id = ${id}`)
      return id
    }
    const old = await under(keys.inboundKey, 'Old one')
    await under(changed.inboundKey, 'New one')
    const gone = await under(keys.inboundKey, 'Gone one')
    await db.execute(sql`update inbound_webhooks set deleted_at = clock_now() where id = ${gone}`)
    const [problem] = await problemsOf(db, changed)
    expect(problem).toMatch(new RegExp(`with secrets under the old key: Old one \\(${old}\\)\\.$`))
    for (let n = 0; n < 25; n++) await under(keys.inboundKey, `Old ${n}`)
    const [many] = await problemsOf(db, changed)
    expect(many).toMatch(/Old 18 \([0-9a-f-]{36}\) and 6 more\.$/)
  })
})
