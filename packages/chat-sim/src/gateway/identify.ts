import { applicationFlags } from '../rest/application.ts'
import { toOwnUser } from '../rest/user.ts'
import type { SimApplication } from '../world/model.ts'
import { botId, getUser, hasBot } from '../world/state.ts'
import { attachSession, type Connection } from './connection.ts'
import { guildPayload } from './guild-payload.ts'
import type { Hub } from './hub.ts'
import { allIntents, closeCode, frame, intent, op } from './protocol.ts'
import { createSession, isOnShard, type Session } from './session.ts'

interface Identify {
  token: string
  intents: number
  shard?: [number, number]
}

const isIdentify = (d: unknown): d is Identify =>
  typeof d === 'object' && d !== null && 'token' in d && typeof d.token === 'string' && 'intents' in d

/** Handles opcode 2: sends READY and then the servers. Returns the close code if the client is refused. */
export function identify(hub: Hub, connection: Connection, d: unknown): number | undefined {
  if (connection.session) return closeCode.alreadyAuthenticated
  if (!isIdentify(d)) return closeCode.decodeError
  const refusal = refuse(hub.platform.world.application, d)
  if (refusal) return refusal
  if (!hub.allowsIdentify() || hub.settings.endsSessions === 'atIdentify') {
    connection.send(frame(op.invalidSession, false))
    return undefined
  }

  const session = createSession(d.intents, d.shard ?? [0, 1])
  hub.sessions.set(session.id, session)
  attachSession(connection, session)
  session.dispatch('READY', JSON.stringify(ready(hub, connection, session, d.shard)))
  if (hub.settings.endsSessions === 'afterReady') {
    hub.sessions.delete(session.id)
    connection.session = undefined
    connection.send(frame(op.invalidSession, false))
    return undefined
  }
  sendGuilds(hub, session)
  return undefined
}

/** Returns the close code of a refusal, if there is one. The checks have the same order as on the platform. */
function refuse(
  { botToken, memberIntent }: SimApplication,
  { token, shard, intents }: Identify,
): number | undefined {
  if (token.replace(/^Bot /, '') !== botToken) return closeCode.authenticationFailed
  if (shard !== undefined && !isShard(shard)) return closeCode.invalidShard
  if (!Number.isInteger(intents) || (intents & ~allIntents) !== 0) return closeCode.invalidIntents
  return (intents & forbidden(memberIntent)) !== 0 ? closeCode.disallowedIntents : undefined
}

const isShard = (shard: unknown): shard is [number, number] =>
  Array.isArray(shard) &&
  shard.length === 2 &&
  shard.every(Number.isInteger) &&
  shard[0] >= 0 &&
  shard[0] < shard[1]

/** Returns the bits of the forbidden intents. The only privileged intent that can be allowed is the member intent. */
const forbidden = (memberIntent: boolean): number =>
  intent.guildPresences | intent.messageContent | (memberIntent ? 0 : intent.guildMembers)

const guildsOf = ({ platform: { world } }: Hub, session: Session) =>
  [...world.guilds.values()].filter((guild) => hasBot(world, guild) && isOnShard(guild.id, session.shard))

function ready(hub: Hub, connection: Connection, session: Session, shard: [number, number] | undefined) {
  const { world } = hub.platform
  return {
    v: 10,
    user_settings: {},
    user: { ...toOwnUser(getUser(world, botId(world)), true), verified: true },
    session_type: 'normal',
    session_id: session.id,
    resume_gateway_url: connection.resumeUrl,
    relationships: [],
    private_channels: [],
    presences: [],
    guilds: guildsOf(hub, session).map(({ id }) => ({ id, unavailable: true })),
    guild_join_requests: [],
    geo_ordered_rtc_regions: [],
    application: { id: world.application.clientId, flags: applicationFlags(world.application) },
    _trace: ['chat-sim'],
    ...(shard ? { shard } : {}),
  }
}

/** Sends GUILD_CREATE for each server. Omits servers in an outage, which READY has announced as unavailable. */
function sendGuilds(hub: Hub, session: Session): void {
  if ((session.intents & intent.guilds) === 0) return
  for (const guild of guildsOf(hub, session)) {
    if (guild.unavailable) continue
    session.dispatch('GUILD_CREATE', JSON.stringify(guildPayload(hub.platform.world, guild)))
  }
}
