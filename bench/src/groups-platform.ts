import { demo, demoWorld, startChatSim } from '@rolecall/chat-sim'

/**
 * The simulated chat platform with MEMBERS people in SERVERS servers that are spread evenly over SHARDS shards, in a process of its
 * own. On request it changes somebody's roles.
 */
export interface RoleOrder {
  readonly serverId: string
  readonly memberId: string
  readonly roleIds: readonly string[]
}

/** The main server, and one after another beside it, each of the next shard. */
const serverIds = Array.from({ length: Number(process.env['SERVERS'] ?? 8) }, (_, at) =>
  String(BigInt(demo.mainGuildId) + (BigInt(at) << 22n)),
)
const world = demoWorld()
const each = Math.floor(Number(process.env['MEMBERS'] ?? 1_000_000) / serverIds.length)
const servers = serverIds.map((id) => {
  if (id !== demo.mainGuildId) {
    world.addGuild({ id, name: `Server ${id}` })
    world.addMember(id, demo.users.bot)
  }
  const role = world.createRole(id, { name: 'Watch' })
  world.bulkMembers(id, each, [])
  const page = world.guilds.get(id)?.members.page('0', 200) ?? []
  const memberIds = page.map(({ user_id }) => user_id).filter((one) => one !== demo.users.bot)
  return { id, roleId: role.id, memberIds: memberIds.slice(-100) }
})
const sim = await startChatSim({ world })
sim.gateway.recommendShards(Number(process.env['SHARDS'] ?? 8))
export interface GroupsPlatform {
  readonly apiUrl: string
  readonly botToken: string
  readonly servers: readonly {
    readonly id: string
    readonly roleId: string
    readonly memberIds: readonly string[]
  }[]
}
process.send?.({ apiUrl: sim.apiUrl, botToken: sim.app.botToken, servers } satisfies GroupsPlatform)

process.on('message', ({ serverId, memberId, roleIds }: RoleOrder) =>
  world.updateMember(serverId, memberId, { roles: [...roleIds] }),
)
