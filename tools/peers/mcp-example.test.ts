import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { demo } from '@rolecall/chat-sim'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { call } from '../../apps/api/test/client.ts'
import { startDocumentServer } from '../../apps/api/test/document-server.ts'
import { type GivenProject, givenAdmin } from '../../apps/api/test/given.ts'
import { authPath, givenClient, redeem, walk } from '../../apps/api/test/oidc.ts'
import { startWorld, type World } from '../../apps/api/test/service.ts'
import { freePort } from '../free-port.js'
import { installOnce } from '../install-once.js'
import { root } from '../shown/collect.ts'

const { roles, users, mainGuildId } = demo
const running: ChildProcess[] = []
let world: World
let resource: string
let api: GivenProject
let app: GivenProject
let site: Awaited<ReturnType<typeof startDocumentServer>>

beforeAll(async () => {
  await installOnce('examples')
  world = await startWorld('postgres', { PERMISSION_TTL_MS: '0' })
  const port = await freePort()
  resource = `http://127.0.0.1:${port}/mcp`
  site = await startDocumentServer()
  api = await givenClient(world, {
    redirectUris: [],
    oidc: { resources: [resource], clientHosts: [site.host] },
  })
  app = await givenClient(world, {
    ...{ isInternal: false, redirectUris: ['http://127.0.0.1/callback'] },
    oidc: { publicClient: true },
  })
  const server = start('server.js', {
    ...{ PORT: String(port), ROLECALL_URL: world.url, ROLECALL_CLIENT_ID: api.id },
    ...{ ROLECALL_API_KEY: api.key, BELL_ROLE_ID: roles.captain },
  })
  await server.said(`The MCP server is at ${resource}`)
}, 120_000)
afterAll(async () => {
  for (const child of running) child.kill()
  await site?.close()
  await world?.close()
})

/** Starts a program of the example. */
function start(name: string, env: Record<string, string>) {
  const child = spawn(process.execPath, [join(root, 'examples/mcp-server', name)], {
    env: { ...process.env, ...env },
  })
  running.push(child)
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (text) => {
      output += text
    })
  }
  return {
    output: () => output,
    said: (text: string) => vi.waitFor(() => expect(output).toContain(text), 30_000),
    /** Types a line, and returns what the program prints next. */
    async type(line: string) {
      output = ''
      child.stdin.write(`${line}\n`)
      await vi.waitFor(() => expect(output).toContain('\n'), 30_000)
      return output.trim()
    },
  }
}

test('a member signs in from a shell; roles and a kick count with the next call of a tool', async () => {
  const shell = start('client.js', { MCP_URL: resource, ROLECALL_CLIENT_ID: app.id })
  await shell.said('Open ')
  const { pathname, search, searchParams } = new URL(/Open (\S+)/.exec(shell.output())?.[1] ?? '')
  expect(searchParams.get('resource')).toBe(resource)
  const back = await walk(world, pathname + search)
  // Any page in the browser can send these.
  for (const query of ['error=access_denied', 'error=access_denied&state=another', 'code=x', '']) {
    expect((await fetch(`${back.origin}/callback?${query}`)).status).toBe(404)
  }
  await fetch(back)
  await shell.said('Signed in.')
  expect(await shell.type('who_am_i')).toBe('You are ada.osei.')
  expect(await shell.type('ring_bell')).toBe('You do not have the role that may ring the bell.')
  world.sim.world.setRoles(mainGuildId, users.ada, [roles.captain])
  expect(await shell.type('ring_bell')).toBe('Ding!')
  world.sim.world.setRoles(mainGuildId, users.ada, [roles.crew])
  expect(await shell.type('ring_bell')).toBe('You do not have the role that may ring the bell.')
  world.sim.world.removeMember(mainGuildId, users.ada)
  await shell.type('who_am_i')
  await shell.said('You are signed out.')
}, 120_000)

test('the sign-in that a member cancels ends with one error', async () => {
  const shell = start('client.js', { MCP_URL: resource, ROLECALL_CLIENT_ID: app.id })
  await shell.said('Open ')
  const asked = new URL(/Open (\S+)/.exec(shell.output())?.[1] ?? '').searchParams
  const answer = new URLSearchParams({ error: 'access_denied', state: asked.get('state') ?? '' })
  expect((await fetch(`${asked.get('redirect_uri')}?${answer}`)).status).toBe(200)
  await shell.said('Error: access_denied')
}, 60_000)

test('a client signs in by its metadata document, until the server no longer lists its host', async () => {
  const shell = start('client.js', { MCP_URL: resource, ROLECALL_CLIENT_ID: site.publish('/shell') })
  await shell.said('Open ')
  const { pathname, search } = new URL(/Open (\S+)/.exec(shell.output())?.[1] ?? '')
  await fetch(await walk(world, pathname + search, { as: users.tomas }))
  await shell.said('Signed in.')
  expect(await shell.type('who_am_i')).toBe('You are tomas_v.')
  await call(world.url, 'PATCH', `/api/admin/projects/${api.id}`, {
    token: await givenAdmin(world),
    body: { oidc: { clientHosts: [] } },
  })
  await shell.type('who_am_i')
  await shell.said('You are signed out.')
}, 120_000)

test('a token for another API, a token for none, and no token open nothing', async () => {
  const elsewhere = 'https://maps.example/'
  const wiki = await givenClient(world, { oidc: { resources: [elsewhere] } })
  const tokenFor = async (more: Record<string, string>) => {
    const end = await walk(world, authPath(wiki, more), { as: users.tomas })
    return (await redeem(world, wiki, end.searchParams.get('code') ?? '')).body.access_token
  }
  const ask = (headers: Record<string, string>) =>
    fetch(resource, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'who_am_i' } }),
    })
  const bearer = (token: string) => ask({ authorization: `Bearer ${token}` })
  expect((await bearer(await tokenFor({ resource }))).status).toBe(200)
  const refused = [
    await bearer(await tokenFor({ resource: elsewhere })),
    await bearer(await tokenFor({})),
    await ask({}),
  ]
  for (const response of refused) {
    expect(response.status).toBe(401)
    expect(response.headers.get('www-authenticate')).toContain('/.well-known/oauth-protected-resource/mcp')
  }
}, 60_000)
