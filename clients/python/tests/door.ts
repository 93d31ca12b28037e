import { createServer, type IncomingMessage } from 'node:http'
import { demo } from '@rolecall/chat-sim'
import { givenProject, givenSession, redirectUri } from '../../../apps/api/test/given.ts'
import { givenWebhook } from '../../../apps/api/test/given-webhook.ts'
import { startRelay } from '../../../apps/api/test/relay.ts'
import type { World } from '../../../apps/api/test/service.ts'

/** The input of the tests in Python, as JSON in `ROLECALL_TEST`. */
interface Terms {
  /** The address of the door. */
  readonly door: string
  readonly serviceUrl: string
  readonly serverId: string
  readonly users: Readonly<Record<string, string>>
  readonly roles: Readonly<Record<string, string>>
}

type Text = Record<string, string>

/** Starts an HTTP server for tests in another language. It runs, by name, the actions that a client cannot do. */
export async function openDoor(world: World) {
  const { sim, service } = world
  const relays = new Map<string, Awaited<ReturnType<typeof startRelay>>>()
  const relayOf = ({ relay = '' }: Text) => {
    const found = relays.get(relay)
    if (!found) throw new Error(`no relay ${relay}`)
    return found
  }
  const actions: Record<string, (input: Text) => unknown> = {
    project: ({ redirectUri: more }) =>
      givenProject(world, { redirectUris: more === undefined ? [redirectUri] : [redirectUri, more] }),
    session: ({ id = '', key = '', as = demo.users.ada }) => givenSession(world, { id, key }, as),
    webhook: ({ id = '', key = '' }) => givenWebhook(world, { id, key }, { requireSignature: true }),
    roles: async ({ member = '', role = '' }) => {
      sim.world.setRoles(demo.mainGuildId, member, [role])
      await service.deps.refreshMember(demo.mainGuildId, member)
    },
    kick: async ({ member = '' }) => {
      sim.world.removeMember(demo.mainGuildId, member)
      await service.deps.refreshMember(demo.mainGuildId, member)
    },
    relay: async () => {
      const relay = await startRelay(world.url)
      relays.set(relay.url, relay)
      return { url: relay.url }
    },
    freeze: (input) => relayOf(input).freeze(),
    thaw: (input) => relayOf(input).thaw(),
    cut: (input) => relayOf(input).cut(),
    mend: (input) => relayOf(input).mend(),
    delay: (input) => relayOf(input).delay(Number(input['ms'])),
  }
  const server = createServer((request, reply) => {
    void act(request)
      .then((result) => reply.writeHead(200).end(JSON.stringify(result ?? {})))
      .catch((error: unknown) => reply.writeHead(500).end(String(error)))
  })
  const act = async (request: IncomingMessage) => {
    const action = actions[request.url?.slice(1) ?? '']
    if (!action) throw new Error(`no action ${request.url}`)
    let text = ''
    for await (const chunk of request) text += chunk
    return action(JSON.parse(text))
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const door = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`
  const { mainGuildId: serverId, users, roles } = demo
  const terms: Terms = { door, serviceUrl: world.url, serverId, users, roles }
  return {
    terms,
    async close() {
      for (const relay of relays.values()) await relay.close()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
