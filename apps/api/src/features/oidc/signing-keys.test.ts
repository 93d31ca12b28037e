import { createPublicKey, verify } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { call } from '../../../test/client.ts'
import { mainEngines } from '../../../test/databases.ts'
import { countLockWaits } from '../../../test/lock-waits.ts'
import { madeForTests } from '../../../test/made-for-tests.ts'
import { givenClient, logIn } from '../../../test/oidc.ts'
import { worldForTests } from '../../../test/world-for-tests.ts'
import { sql } from '../../platform/db/sql.ts'
import { createTally } from '../../platform/metrics/tally.ts'
import { createEngine } from './engine.ts'
import { insertKey } from './keys-store.ts'
import { loadSigningKeys, rotateSigningKeys, signJwt } from './signing-keys.ts'

const day = 86_400

describe.each(mainEngines)('signing keys on %s', (engine) => {
  const world = worldForTests(engine)
  const project = madeForTests(() => givenClient(world))
  beforeAll(async () => {
    await logIn(world, project)
  })

  const load = () => loadSigningKeys(world.service.deps)
  const age = (seconds: number) =>
    world.service.deps.db.execute({
      text: `update oidc_signing_keys set created_at = created_at - $1::int * interval '1 second',
        signs_from = signs_from - $1::int * interval '1 second'`,
      values: [seconds],
    })
  const kids = async () => (await load()).map(({ kid }) => kid)

  test('are public in their public part alone, and sign what everybody can check', async () => {
    const { keys } = (await call(world.url, 'GET', '/oidc/jwks')).body
    expect(keys.map((one: object) => Object.keys(one).sort())).toEqual([
      ['alg', 'e', 'kid', 'kty', 'n', 'use'],
    ])
    const [header = '', claims, signature = ''] = (await signJwt(await load(), {})).split('.')
    expect(JSON.parse(Buffer.from(header, 'base64url').toString()).kid).toBe(keys[0].kid)
    const published = createPublicKey({ key: keys[0], format: 'jwk' })
    const signed = Buffer.from(`${header}.${claims}`)
    expect(verify('sha256', signed, published, Buffer.from(signature, 'base64url'))).toBe(true)
  })

  test('a new one is published first, signs an hour later, and the old one stays for what it signed', async () => {
    const [old] = await kids()
    const made = await rotateSigningKeys(world.service.deps)
    expect(await kids()).toEqual([old, made])
    await age(3_599)
    expect((await kids())[0]).toBe(old)
    await age(2)
    expect(await kids()).toEqual([made, old])
    await age(89 * day)
    expect(await kids()).toContain(old)
  })

  test('one of 90 days is replaced by itself, once, however many ask', async () => {
    await age(90 * day)
    const before = await kids()
    const again = await Promise.all([kids(), kids(), kids()])
    for (const one of again) expect(one).toEqual(before)
    expect(new Set(before).size).toBe(before.length)
    const [signing, next] = before
    await age(3_601)
    expect((await kids())[0]).toBe(next)
    expect(await kids()).toContain(signing)
  })

  test('an instance that creates a key waits for another one, and then creates none', async () => {
    // PGlite has one connection, so its transactions take turns anyway.
    if (engine !== 'postgres') return
    await age(61)
    const { db } = world.service.deps
    const keyOf = (kid: string) => ({ kid, sealed: Buffer.of(0), leadSec: 0, minNewestAgeSec: 60 })
    const waiting = () => countLockWaits(db)
    const creating = await db.transaction(async (tx) => {
      await insertKey(tx, keyOf('first'))
      const second = db.transaction((other) => insertKey(other, keyOf('second')))
      await Promise.race([second, expect.poll(waiting).toBeGreaterThan(0)])
      return [second]
    })
    await Promise.all(creating)
    const stored = await db.query(
      sql`select kid from oidc_signing_keys where kid = any('{first,second}'::text[])`,
    )
    await db.execute(sql`delete from oidc_signing_keys where kid = any('{first,second}'::text[])`)
    expect(stored).toEqual([{ kid: 'first' }])
  })

  test('a running instance signs with a key from the time at which it begins to sign', async () => {
    const running = await createEngine({
      ...world.service.deps,
      sessions: { extendSteps: () => sql`` },
      ...{ documents: {}, counts: { answers: createTally() } },
    } as unknown as Parameters<typeof createEngine>[0])
    const kidsNow = async () => {
      await running.refresh()
      return running.keys.map(({ kid }) => kid)
    }
    const [signing] = await kidsNow()
    const made = await rotateSigningKeys(world.service.deps)
    const published = await kidsNow()
    expect([published[0], published.includes(made)]).toEqual([signing, true])
    await age(3_601)
    expect((await kidsNow())[0]).toBe(made)
    running.close()
  })

  test('what was sealed under another encryption key is left out, and a key that signs is made', async () => {
    const { deps } = world.service
    await age(61)
    const other = { ...deps, config: { ...deps.config, outboundKey: '9'.repeat(64) } }
    const found = await loadSigningKeys(other)
    expect(found).toHaveLength(1)
    expect(await kids()).not.toContain(found[0].kid)
  })

  test('without an encryption key there is none, and no project becomes a client', async () => {
    const { deps } = world.service
    const bare = { ...deps, config: { ...deps.config, outboundKey: undefined } }
    await expect(loadSigningKeys(bare)).rejects.toMatchObject({ code: 'ENCRYPTION_KEY_MISSING' })
  })
})
