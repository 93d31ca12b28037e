import { execFile } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { call } from '../../test/client.ts'
import { givenAdmin, givenProject } from '../../test/given.ts'
import { givenClient } from '../../test/oidc.ts'
import { environmentFor } from '../../test/service.ts'
import { worldForTests } from '../../test/world-for-tests.ts'

const bin = fileURLToPath(new URL('../../bin/rolecall.js', import.meta.url))

const world = worldForTests('postgres')

/** The lines of an area that `doctor` prints. */
const linesOf = (area: string, env: Record<string, string> = {}) =>
  new Promise<string[]>((resolve) => {
    const given = {
      ...environmentFor(world.sim),
      DATABASE_URL: world.database.url,
      PUBLIC_URL: world.url,
      ...env,
    }
    execFile(process.execPath, [bin, 'doctor'], { env: { PATH: process.env['PATH'], ...given } }, (_, out) =>
      resolve(out.split('\n').filter((line) => line.slice(9, 26).trim() === area)),
    )
  })

test('a service that clients cannot find where PUBLIC_URL says is named, with what to do', async () => {
  expect(await linesOf('OpenID Connect')).toEqual([
    expect.stringMatching(/^ok .*no project uses OpenID Connect/),
  ])
  await givenClient(world)
  expect(await linesOf('OpenID Connect')).toEqual([expect.stringMatching(/^ok .*is the issuer/)])
  const other = world.url.replace('127.0.0.1', 'localhost')
  expect(await linesOf('OpenID Connect', { PUBLIC_URL: other })).toEqual([
    expect.stringMatching(/^PROBLEM .*Set PUBLIC_URL/),
  ])
  const proxy = createServer((_, answer) => answer.writeHead(404).end())
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  const { port } = proxy.address() as AddressInfo
  expect(await linesOf('OpenID Connect', { PUBLIC_URL: `http://127.0.0.1:${port}` })).toEqual([
    expect.stringMatching(/^PROBLEM .*The proxy must forward/),
  ])
  proxy.close()
  expect(await linesOf('OpenID Connect', { PUBLIC_URL: 'http://127.0.0.1:1' })).toEqual([
    expect.stringMatching(/^note .*does not respond from here/),
  ])
})

test('unreachable protected hosts are named, with what to do', async () => {
  expect(await linesOf('protected hosts')).toEqual([
    expect.stringMatching(/^ok .*no project has protected hosts/),
  ])
  const { id } = await givenProject(world)
  await call(world.url, 'PATCH', `/api/admin/projects/${id}`, {
    token: await givenAdmin(world),
    body: { forwardAuth: { hosts: ['wiki.example.org', 'files.example.org'] } },
  })
  expect(await linesOf('protected hosts')).toEqual([
    expect.stringMatching(/^PROBLEM .*TRUST_PROXY is empty.*files.example.org and 1 more/),
  ])
  expect(await linesOf('protected hosts', { TRUST_PROXY: '127.0.0.1' })).toEqual([
    expect.stringMatching(/^ok .*requests come from 127.0.0.1/),
  ])
})
