import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { demo } from '@rolecall/chat-sim'
import { type EndpointDefinition, endpoints, errors, operationIdOf, refusals } from '@rolecall/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeContract } from '../../apps/api/src/features/docs/describe-endpoint.ts'
import { adminWrites } from '../../apps/api/test/admin-writes.ts'
import {
  givenAdmin,
  givenCode,
  givenProject,
  givenSession,
  validate,
  walkLogin,
} from '../../apps/api/test/given.ts'
import { givenWebhook } from '../../apps/api/test/given-webhook.ts'
import { nameOf } from '../../apps/api/test/requests.ts'
import { startWorld, type World } from '../../apps/api/test/service.ts'

// The commands of the API reference and of /api/docs: one for each endpoint of the contract.

let world: World
beforeAll(async () => {
  world = await startWorld('pglite', { RATE_LIMIT_GLOBAL: '0' })
})
afterAll(() => world.close())

const { users, mainGuildId: club } = demo
/** The values that the contract shows as examples. */
const example = { id: '1183542208736677898', uuid: '01932f6e-8f4a-7cc0-9b1d-3a5f8e7d6c4b' }
const redirectUri = 'https://crew.example/callback'

/** Commands that get another answer than the first documented one, and why. */
const otherAnswers: Readonly<Record<string, readonly [number, string]>> = {
  getImage: [404, 'the simulated platform has no picture of that hash'],
}

const rows = endpoints.map((one): [string, EndpointDefinition] => [operationIdOf(one), one])

test.each(rows)('the command of %s gets a documented answer', async (id, one) => {
  const admin = await givenAdmin(world)
  const write = adminWrites[nameOf(one)]
  try {
    const command = await filledIn(one, admin)
    const status = await statusOf(command)
    const [success = ''] = Object.keys(one.answers)
    const refused = refusals(one).map((code) => errors[code].status)
    // A browser calls these with its cookies, which a terminal does not have.
    const expected = one.page ? [...Object.keys(one.answers).map(Number), ...refused] : [Number(success)]
    expect(otherAnswers[id] ? [otherAnswers[id][0]] : expected, command).toContain(status)
  } finally {
    await write?.settled?.({ world, token: admin })
    await write?.undo?.({ world, token: admin })
  }
})

/** The command as it is shown, with values that exist in place of the examples. */
async function filledIn(one: EndpointDefinition, admin: string): Promise<string> {
  const pages = describeContract(world.url).flatMap((chapter) => chapter.endpoints)
  const { request = '' } = pages.find(({ id }) => id === operationIdOf(one)) ?? {}
  const project = await givenProject(world, { redirectUris: [redirectUri] })
  const session = await givenSession(world, project)
  const { body: validated } = await validate(world, project, session.token)
  const webhook = await givenWebhook(world, project, { schema: {}, requireSignature: false })
  const asked = await adminWrites[nameOf(one)]?.given({ world, token: admin })
  const takesAdmin = one.auth === 'admin' || operationIdOf(one) === 'readSubmissions'
  const code = request.includes('rcc_…') ? await codeFor(one, project) : ''
  const path =
    asked?.path ??
    one.path
      .replace('{webhookId}', webhook.id)
      .replace(/(?<=inbound-webhooks\/)\{id\}/, webhook.id)
      .replace('{sessionId}', validated.session.id)
      .replace(/(?<=servers\/)\{\w+\}/, club)
      .replace(/(?<=members\/)\{\w+\}/, users.ada)
      .replace(/(?<=projects\/)\{\w+\}/, project.id)
  const shown = shownPath(one, request)
  return request
    .replace(shown, () => path)
    .replace(`server_id=${example.id}`, `server_id=${club}`)
    .replace(`client_id=${example.uuid}`, `client_id=${project.id}`)
    .replace(/(?<="(?:clientId|projectId)":")[^"]+/, project.id)
    .replace(/(?<='\{"id":")\d+/, demo.gamesGuildId)
    .replaceAll(example.id, users.ada)
    .replaceAll('rck_…', project.key)
    .replace('Bearer rcs_…', `Bearer ${takesAdmin ? admin : session.token}`)
    .replaceAll('rcs_…', session.token)
    .replaceAll('rcr_…', session.refreshToken)
    .replaceAll('rcc_…', code)
}

const shownPath = ({ path }: EndpointDefinition, request: string) => {
  const address = /'([^'?]+)[?']/.exec(request)?.[1] ?? ''
  expect(address.split('/').length, request).toBe((world.url + path).split('/').length)
  return address.slice(world.url.length)
}

async function codeFor(one: EndpointDefinition, project: { id: string; key: string }): Promise<string> {
  if (one.path !== '/api/auth/admin/token')
    return givenCode(world, project, users.ada, { redirect_uri: redirectUri })
  const end = await walkLogin(world, '/api/auth/admin/login?return_to=/', { as: users.mara })
  return new URLSearchParams(end.hash.slice(1)).get('code') ?? ''
}

/** Types the command, and returns the status of its answer as soon as the answer begins. */
async function statusOf(command: string): Promise<number> {
  const child = spawn('sh', ['-c', `exec ${command} --silent --include --no-buffer`])
  const ended = once(child, 'close')
  for await (const chunk of child.stdout) {
    const status = /^HTTP\/1\.1 (\d{3})/.exec(String(chunk))?.[1]
    child.kill()
    await ended
    return Number(status)
  }
  throw new Error(await text(child.stderr))
}
