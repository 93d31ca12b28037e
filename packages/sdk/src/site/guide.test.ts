import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'

const root = fileURLToPath(new URL('../../../../', import.meta.url))
/** A folder that Git ignores, in which the package is found by its name. */
const parent = join(root, 'packages/sdk/dist-guide')
const appUrl = 'http://127.0.0.1:8080'

beforeEach(async () => {
  await mkdir(parent, { recursive: true })
  const values = {
    ...{
      URL: 'http://127.0.0.1:1',
      API_KEY: 'rck_guide',
      CLIENT_ID: 'guide',
      SERVER_ID: '1',
      APP_URL: appUrl,
    },
    SECRET: '0123456789abcdef0123456789abcdef',
  }
  for (const [name, value] of Object.entries(values)) vi.stubEnv(`ROLECALL_${name}`, value)
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await rm(parent, { recursive: true, force: true })
})

test('the example of docs/guides/sign-in-pages.md shows its own pages and follows its own hook', async () => {
  const guide = await readFile(join(root, 'docs/guides/sign-in-pages.md'), 'utf8')
  const [, code = ''] = /^```ts\n\/\/ rolecall\.ts\n([\s\S]*?)^```$/m.exec(guide) ?? []
  await writeFile(join(parent, 'rolecall.ts'), code)
  const { rolecall } = await import(join(parent, 'rolecall.ts'))
  const ask = async (path: string, cookie = ''): Promise<Response> =>
    rolecall.handler(new Request(appUrl + path, { headers: { accept: 'text/html', cookie } }))
  const expired = await ask('/auth/callback')
  expect(expired.status).toBe(400)
  expect(await expired.text()).toMatch(/<html lang="en">.+href="\/site\.css".+allow cookies\.<\/p>.+Pier 7/s)
  expect(await (await ask('/auth/callback', 'lang=de')).text()).toContain('<html lang="de">')
  const begun = await ask('/auth/login')
  const state = new URL(begun.headers.get('location') ?? '').searchParams.get('state') ?? ''
  const query = { state, iss: 'http://127.0.0.1:1', error: 'access_denied', error_reason: 'not_a_member' }
  const [cookie = ''] = begun.headers.getSetCookie().map((line) => line.split(';')[0])
  const refused = await ask(`/auth/callback?${new URLSearchParams(query)}`, cookie)
  expect([refused.status, refused.headers.get('location')]).toEqual([302, 'https://discord.gg/example'])
})
