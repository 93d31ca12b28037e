import { Rolecall } from '@rolecall/sdk'
import { expect, test } from 'vitest'
import { fencesOf } from '../../acceptance/browser/shell.ts'
import { givenProject, givenSession } from '../../apps/api/test/given.ts'
import { worldForTests } from '../../apps/api/test/world-for-tests.ts'
import { read } from './collect.ts'

const world = worldForTests('pglite')

const sample =
  fencesOf(read('docs/concepts/sessions.md')).find(({ text }) => text.includes('rolecall.refresh('))?.text ??
  ''

test('the refresh that the page about sessions shows refreshes a session once, although two run at a time', async () => {
  const project = await givenProject(world)
  const given = await givenSession(world, project)
  const rolecall = new Rolecall({ baseUrl: world.url, apiKey: project.key })
  let stored = { token: given.token, refreshToken: given.refreshToken }
  const store = {
    read: async () => stored,
    write: async (_sessionId: string, pair: typeof stored) => {
      stored = pair
    },
  }
  let lock = Promise.resolve()
  const withLock = (_sessionId: string, work: () => Promise<void>) => {
    lock = lock.then(work)
    return lock
  }
  let refreshes = 0
  const isHalfUsed = ({ token }: typeof stored) => {
    const isOld = token === given.token
    if (isOld) refreshes += 1
    return isOld
  }
  const names = { withLock, store, isHalfUsed, rolecall, sessionId: 'any' }
  const run = new Function(...Object.keys(names), `return (async () => {${sample}})()`)
  await Promise.all([run(...Object.values(names)), run(...Object.values(names))])
  expect(refreshes).toBe(1)
  expect(stored.token).not.toBe(given.token)
  expect(await rolecall.validate(stored.token)).toMatchObject({ member: { id: expect.any(String) } })
  expect(await rolecall.validate(given.token)).toBeUndefined()
})
