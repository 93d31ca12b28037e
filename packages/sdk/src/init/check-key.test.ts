import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type GivenProject, givenProject } from '../../../../apps/api/test/given.ts'
import { startWorld, type World } from '../../../../apps/api/test/service.ts'
import { freePort } from '../../../../tools/free-port.js'
import { checkKey } from './check-key.ts'

describe('what rolecall-init says of a key, which the service is asked about', () => {
  let world: World
  let project: GivenProject
  let other: GivenProject
  let inactive: GivenProject
  beforeAll(async () => {
    world = await startWorld('pglite')
    project = await givenProject(world)
    other = await givenProject(world)
    inactive = await givenProject(world, { isActive: false })
  }, 120_000)
  afterAll(() => world?.close())

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
    const nobody = `http://127.0.0.1:${await freePort()}`
    expect(await check(project.id, project.key, nobody)).toBe(
      `The key was not checked: ${nobody} does not respond like Rolecall.`,
    )
    expect(await check(project.id, project.key, `${world.url}/api/docs`)).toMatch(/^The key was not checked/)
    expect(await check('', project.key)).toBeUndefined()
  })
})
