import { demo } from '@rolecall/chat-sim'
import { beforeAll, expect, test } from 'vitest'
import { commandsOfPage, read } from '../../../../tools/shown/collect.ts'
import { runShown } from '../../../../tools/shown/run.ts'
import { approveDevice } from '../device.ts'
import { type GivenProject, givenProject } from '../given.ts'
import { givenClient } from '../oidc.ts'
import { worldForTests } from '../world-for-tests.ts'

const guide = 'docs/guides/games-bots-command-lines.md'
const { mainGuildId, roles, users } = demo
const world = worldForTests('pglite')
let game: GivenProject
let bot: GivenProject

beforeAll(async () => {
  const [, settings = ''] = /```json\n([^`]+)```/.exec(read(guide)) ?? []
  game = await givenClient(world, { isInternal: false, redirectUris: [], ...JSON.parse(settings) })
  bot = await givenProject(world)
})

test('a game and a bot do what the guide shows, block by block', async () => {
  const [begin = '', poll = '', ask = '', refresh = '', revoke = '', check = '', ...more] = commandsOfPage(
    guide,
    read(guide),
  )
    .filter(({ isBlock }) => isBlock)
    .map(({ text }) => text)
  expect([check, more]).toEqual([expect.stringContaining('permissions/check'), []])
  const env = {
    ...{ ROLECALL_URL: world.url, ROLECALL_CLIENT_ID: game.id },
    ...{ ROLECALL_API_KEY: bot.key, ROLECALL_SERVER_ID: mainGuildId },
  }
  const run = async (text: string, fill?: Record<string, string>) => {
    const output = await runShown(text, { cwd: '.', env, ...(fill && { fill }) })
    return output === '' ? undefined : JSON.parse(output)
  }

  const device = await run(begin)
  expect(device).toMatchObject({ interval: 5, verification_uri: `${world.url}/device` })
  const code = { 'rcd_…': device.device_code }
  expect(await run(poll, code)).toMatchObject({ error: 'authorization_pending' })
  await approveDevice(world, device)
  const tokens = await run(poll, code)
  expect(await run(ask, { 'rct_…': tokens.access_token })).toMatchObject({
    ...{ sub: users.ada, role_ids: [roles.crew] },
  })
  const fresh = await run(refresh, { 'rcf_…': tokens.refresh_token })
  await run(revoke, { 'rcf_…': fresh.refresh_token })
  expect(await run(refresh, { 'rcf_…': fresh.refresh_token })).toMatchObject({ error: 'invalid_grant' })
  const ids = { MEMBER_ID: users.ada, ROLE_ID: roles.crew }
  expect(await run(check, ids)).toMatchObject({ allowed: true, isMember: true })
})
