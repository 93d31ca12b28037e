import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { beforeAll, describe, expect, test } from 'vitest'
import { type GivenProject, givenProject } from '../../../../apps/api/test/given.ts'
import { projectForTests, worldForTests } from '../../../../apps/api/test/world-for-tests.ts'
import { freePort } from '../../../../tools/free-port.js'
import { checkKey } from './check-key.ts'

describe('what rolecall-init says of a key, which the service is asked about', () => {
  const world = worldForTests('pglite')
  const project = projectForTests(world)
  let other: GivenProject
  let inactive: GivenProject
  beforeAll(async () => {
    other = await givenProject(world)
    inactive = await givenProject(world, { isActive: false })
  }, 120_000)

  const check = (clientId: string, key: string, url = world.url) =>
    checkKey({ ROLECALL_URL: url, ROLECALL_CLIENT_ID: clientId, ROLECALL_API_KEY: key })

  test('is that it is good, that it is another project’s, that it is refused, or that its project is inactive', async () => {
    expect(await check(project.id, project.key)).toBe('Rolecall accepts the key for this project.')
    expect(await check(project.id, other.key)).toMatch(
      /it belongs to another project than ROLECALL_CLIENT_ID/,
    )
    expect(await check(project.id, `${project.key.slice(0, -4)}AAAA`)).toMatch(/^Rolecall rejects the key/)
    expect(await check(inactive.id, inactive.key)).toMatch(/its project is inactive/)
  })

  test('says that a key was not checked if no server responds, and says nothing if too little is known', async () => {
    const unused = `http://127.0.0.1:${await freePort()}`
    expect(await check(project.id, project.key, unused)).toBe(
      `The key was not checked: ${unused} cannot be reached (ECONNREFUSED). Check ROLECALL_URL, and that Rolecall runs.`,
    )
    const encrypted = world.url.replace('http:', 'https:')
    expect(await check(project.id, project.key, encrypted)).toMatch(/cannot be reached \(ERR_SSL_/)
    expect(await check(project.id, project.key, `${world.url}/console`)).toBe(
      `The key was not checked: ${world.url}/console is not the address of a Rolecall service. Correct ROLECALL_URL. It usually has no path.`,
    )
    expect(await check('', project.key)).toBeUndefined()
    const silent = createServer(() => {}).listen(0, '127.0.0.1')
    await once(silent, 'listening')
    const { port } = silent.address() as AddressInfo
    expect(await check(project.id, project.key, `http://127.0.0.1:${port}`)).toMatch(
      /did not respond within 3 s/,
    )
    silent.closeAllConnections()
    silent.close()
  })

  test('names the address of the service if the given one only leads there, because a sign-in would fail', async () => {
    const other = world.url.replace('127.0.0.1', 'localhost')
    expect(await check(project.id, project.key, other)).toBe(
      `Rolecall accepts the key, but sign-ins will fail. Set ROLECALL_URL to ${world.url}, the PUBLIC_URL of Rolecall, instead of ${other}.`,
    )
    expect(await check(project.id, project.key, `${world.url}/`)).toBe(
      'Rolecall accepts the key for this project.',
    )
  })
})
