import { readdirSync, readFileSync } from 'node:fs'
import { beforeAll, describe, expect, test } from 'vitest'
import { claimsByScope } from '#responses/oidc-claims'
import { call } from '../../../test/client.ts'
import { givenAdmin, givenProject } from '../../../test/given.ts'
import { worldForTests } from '../../../test/world-for-tests.ts'

const folder = new URL('../../../../../docs/guides/programs/', import.meta.url)
const read = (name: string) => readFileSync(new URL(name, folder), 'utf8')
const pages = readdirSync(folder).filter((name) => name !== 'README.md')

describe('what the guides for programs say', () => {
  const world = worldForTests('pglite')
  let discovery: { scopes_supported: string[]; claims_supported: string[] }
  beforeAll(async () => {
    discovery = (await call(world.url, 'GET', '/.well-known/openid-configuration')).body
  })

  test.each(pages)('%s: scopes, claims and addresses are there', async (name) => {
    const page = read(name)
    const scopes = [...page.matchAll(/\bopenid((?:[ ,]+\w+)*)(?=["'`\n\]])/g)].flatMap(([, rest = '']) =>
      rest.split(/[ ,]+/).filter((scope) => scope !== ''),
    )
    const others = [...page.matchAll(/--scopes (\w+)|'(profile|email|roles)'/g)].map(([, a, b]) => a ?? b)
    expect([...scopes, ...others].length).toBeGreaterThan(1)
    expect(
      [...scopes, ...others].filter((scope) => !discovery.scopes_supported.includes(scope ?? '')),
    ).toEqual([])
    const claims = page.matchAll(
      /(?:claim-name |mapping-\S+=|attribute_path = (?!contains)|CLAIM=|CLAIM_NAME=|IDENTIFIER_KEY=|name-attribute: |contains\()(\w+)/g,
    )
    for (const [, claim = ''] of claims) expect(discovery.claims_supported, claim).toContain(claim)
    const known = [...Object.values(discovery), world.url].filter((value) => typeof value === 'string')
    for (const [, path = ''] of page.matchAll(/PUBLIC_URL([\w./-]*)/g)) {
      if (path === '/.well-known/openid-configuration') continue
      expect(known, path).toContain(world.url + path)
    }
  })

  test.each(pages)('%s: the project takes its redirect URI and its settings', async (name) => {
    const page = read(name)
    const [, redirectUri = ''] = /\*\*Redirect URI:\*\* `([^`]+)`/.exec(page) ?? []
    const { id } = await givenProject(world, { redirectUris: [redirectUri] })
    const [, settings = ''] = /```json\n([^`]+)```/.exec(page) ?? []
    const reply = await call(world.url, 'PATCH', `/api/admin/projects/${id}`, {
      token: await givenAdmin(world),
      body: JSON.parse(settings),
    })
    expect(reply.status, reply.text).toBe(200)
    expect(reply.body.oidc).toMatchObject({ ...JSON.parse(settings).oidc, enabled: true })
  })

  test('the table of claims is what the scopes hold, and names every page', () => {
    const page = read('README.md')
    const told = [...page.matchAll(/^\| `(\w+)` \| (.+) \|$/gm)].map(([, scope, claims = '']) => [
      scope,
      [...claims.matchAll(/`(\w+)`/g)].map(([, claim]) => claim),
    ])
    expect(Object.fromEntries(told)).toEqual(
      Object.fromEntries(Object.entries(claimsByScope).map(([k, v]) => [k, [...v]])),
    )
    for (const name of pages) expect(page).toContain(`](${name})`)
  })
})
