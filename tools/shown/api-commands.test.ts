import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { demo } from '@rolecall/chat-sim'
import { type EndpointDefinition, endpoints, errors, operationIdOf, refusals } from '@rolecall/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { grantAccess } from '../../apps/api/src/features/access/grant-access.ts'
import { describeContract, type EndpointPage } from '../../apps/api/src/features/docs/describe-endpoint.ts'
import { adminWrites } from '../../apps/api/test/admin-writes.ts'
import { call } from '../../apps/api/test/client.ts'
import {
  givenAdmin,
  givenCode,
  givenProject,
  givenSession,
  redirectUri as otherRedirectUri,
  validate,
  walkLogin,
} from '../../apps/api/test/given.ts'
import { givenWebhook } from '../../apps/api/test/given-webhook.ts'
import { png } from '../../apps/api/test/images.ts'
import { nameOf } from '../../apps/api/test/requests.ts'
import { startWorld, type World } from '../../apps/api/test/service.ts'

// Runs the commands of the API reference and of /api/docs, one for each endpoint of the contract.

let world: World
let pages: readonly EndpointPage[]
beforeAll(async () => {
  world = await startWorld('pglite', { RATE_LIMIT_GLOBAL: '0' })
  writeFileSync(logoFile, png())
  pages = describeContract(world.url).flatMap((chapter) => chapter.endpoints)
})
afterAll(async () => {
  await world.close()
  rmSync(dirname(logoFile), { recursive: true })
})

const { users, mainGuildId: club } = demo
/** The icon of the simulated server. */
const clubIcon = '5f0e3c1a9b7d2468ace013579bdf2468'
/** The image that commands upload. */
const logoFile = join(mkdtempSync(join(tmpdir(), 'rolecall-logo-')), 'logo.png')
/** The values that the contract shows as examples. */
const example = { id: '1183542208736677898', uuid: '01932f6e-8f4a-7cc0-9b1d-3a5f8e7d6c4b' }
const redirectUri = 'https://crew.example/callback'

const rows = endpoints.map((one): [string, EndpointDefinition] => [operationIdOf(one), one])

test.each(rows)('the command of %s gets a documented answer', async (_, one) => {
  const admin = await givenAdmin(world)
  const write = adminWrites[nameOf(one)]
  try {
    const command = await filledIn(one, admin)
    const status = await statusOf(command)
    const answered = Object.keys(one.answers).map(Number)
    const refused = refusals(one).map((code) => errors[code].status)
    // Browsers call these endpoints with cookies, which a terminal does not have.
    const expected = one.page ? [...answered, ...refused] : answered
    expect(expected, command).toContain(status)
  } finally {
    await write?.settled?.({ world, token: admin })
    await write?.undo?.({ world, token: admin })
  }
})

/** Returns the shown command with existing values in place of the examples. */
async function filledIn(one: EndpointDefinition, admin: string): Promise<string> {
  const { request = '' } = pages.find(({ id }) => id === operationIdOf(one)) ?? {}
  const project = await givenProject(world, {
    redirectUris: [redirectUri, otherRedirectUri],
    serverIds: [],
  })
  const operations = { READ: true, MANAGE_WEBHOOKS: true }
  await grantAccess(world.service.deps, {}, { projectId: project.id, serverId: club, operations })
  const session = await givenSession(world, project)
  const sessionId = one.path.includes('{sessionId}')
    ? (await validate(world, project, session.token)).body.session.id
    : ''
  const webhook = await givenWebhook(world, project, {
    schema: {},
    requireSignature: false,
    allowedRoleIds: [demo.roles.crew],
  })
  if (operationIdOf(one) === 'getLogo') {
    const headers = { 'content-type': 'image/png' }
    const path = `/api/admin/projects/${project.id}/logo`
    await call(world.url, 'PUT', path, { token: admin, raw: png(), headers })
  }
  const asked = await adminWrites[nameOf(one)]?.given({ world, token: admin })
  const code = request.includes('rcc_…') ? await codeFor(one, project) : ''
  const path =
    asked?.path.split('?')[0] ??
    one.path
      .replace('{webhookId}', webhook.id)
      .replace(/(?<=inbound-webhooks\/)\{id\}/, webhook.id)
      .replace('{sessionId}', sessionId)
      .replace('{serverId}/icon/{hash}', `${club}/icon/${clubIcon}`)
      .replace('{kind}/{id}/{hash}', `avatars/${users.ada}/a_d5efa99b3eeaa7dd43acca82f5692432`)
      .replace(/(?<=servers\/)\{\w+\}/, club)
      .replace(/(?<=members\/)\{\w+\}/, users.ada)
      .replace(/(?<=projects\/)\{\w+\}/, project.id)
  const shown = shownPath(one, request)
  const keyId = request.includes('"keyId"') ? await newestKeyOf(path, admin) : ''
  return request
    .replace(/(?<="keyId":")[^"]+/, keyId)
    .replace(shown, () => path)
    .replace(`server_id=${example.id}`, `server_id=${club}`)
    .replace(`client_id=${example.uuid}`, `client_id=${project.id}`)
    .replace(/(?<="(?:clientId|projectId)":")[^"]+/, project.id)
    .replace(/(?<='\{"id":")\d+/, demo.gamesGuildId)
    .replace('Harbour log', () => `Harbour log ${project.id}`)
    .replace('@logo.png', `@${logoFile}`)
    .replaceAll(example.id, users.ada)
    .replaceAll('rck_…', project.key)
    .replace('Bearer rcs_…', `Bearer ${one.auth === 'admin' ? admin : session.token}`)
    .replaceAll('rcs_…', session.token)
    .replaceAll('rcr_…', session.refreshToken)
    .replaceAll('rcc_…', code)
}

/** Returns the ID of the newest key of the project at a path. */
async function newestKeyOf(path: string, token: string): Promise<string> {
  const keys = await call(world.url, 'GET', path.replace(/[^/]+$/, 'keys'), { token })
  return keys.body.data.find(({ isNewest }: { isNewest: boolean }) => isNewest).id
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

/** Runs the command, and returns the status of the response as soon as the response begins. */
async function statusOf(command: string): Promise<number> {
  const child = spawn('sh', ['-c', `exec ${command} --silent --include --no-buffer`])
  const ended = once(child, 'close')
  for await (const chunk of child.stdout) {
    const status = /^HTTP\/1\.1 (\d{3})/.exec(String(chunk))?.[1]
    child.kill()
    // The rest of a long response would keep the pipe open.
    child.stdout.destroy()
    await ended
    return Number(status)
  }
  throw new Error(await text(child.stderr))
}
