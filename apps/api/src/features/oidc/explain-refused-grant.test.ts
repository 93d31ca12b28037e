import { describe, expect, test } from 'vitest'
import type { GivenProject } from '../../../test/given.ts'
import { madeForTests } from '../../../test/made-for-tests.ts'
import { authPath, givenClient, pkce, postForm, redeem, refresh, walk } from '../../../test/oidc.ts'
import { worldForTests } from '../../../test/world-for-tests.ts'

const world = worldForTests('pglite')
const client = madeForTests(() => givenClient(world))

const codeFor = async (project: GivenProject, more: Record<string, string> = {}) =>
  (await walk(world, authPath(project, more))).searchParams.get('code') ?? ''

const general = 'grant request is invalid'

describe('a refused grant', () => {
  test('names the failed check to a client with a secret', async () => {
    const elsewhere = { redirect_uri: 'https://wiki.example/elsewhere' }
    const refused = {
      'authorization code redirect_uri mismatch': await redeem(
        world,
        client,
        await codeFor(client),
        elsewhere,
      ),
      'authorization code not found': await redeem(world, client, 'none'),
      'refresh token not found': await refresh(world, client, 'none'),
    }
    for (const [detail, { status, body }] of Object.entries(refused)) {
      expect([status, body]).toEqual([400, { error: 'invalid_grant', error_description: detail }])
    }
  })

  test('says no more to a public client, and nothing of the grants of others', async () => {
    const open = await givenClient(world, { oidc: { publicClient: true } })
    const { challenge } = pkce()
    const code = await codeFor(open, { code_challenge: challenge, code_challenge_method: 'S256' })
    const form = {
      grant_type: 'authorization_code',
      client_id: open.id,
      code,
      redirect_uri: 'https://a.example/',
    }
    const asked = [
      await postForm(world.url, '/oidc/token', { ...form, code_verifier: pkce().verifier }),
      await redeem(world, await givenClient(world), await codeFor(client)),
    ]
    for (const { status, body } of asked) {
      expect([status, body]).toEqual([400, { error: 'invalid_grant', error_description: general }])
    }
  })
})
