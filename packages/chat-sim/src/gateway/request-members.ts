import { setImmediate as nextTurn } from 'node:timers/promises'
import { toMember } from '../rest/objects.ts'
import type { SimGuild, SimMember } from '../world/model.ts'
import { searchMembers } from '../world/search.ts'
import { getUser, hasBot, type WorldState } from '../world/state.ts'
import { intent } from './protocol.ts'
import type { Session } from './session.ts'

/** Clients take a shorter chunk for the last one. */
const chunkSize = 1_000
/** Since October 2025: the whole list of a server once in this time. */
export const fullRequestEveryMs = 30_000

export interface MembersRequest {
  guild_id: string
  query?: string
  limit?: number
  user_ids?: string | string[]
  nonce?: string
}

export const isMembersRequest = (d: unknown): d is MembersRequest =>
  typeof d === 'object' && d !== null && 'guild_id' in d && typeof d.guild_id === 'string'

/** Opcode 8. What it may not or cannot answer it leaves without an answer, as the platform does. */
export async function answerMembersRequest(
  world: WorldState,
  session: Session,
  request: MembersRequest,
  waitMsFor: (guildId: string) => number,
): Promise<void> {
  const guild = world.guilds.get(request.guild_id)
  if (!guild || !hasBot(world, guild) || guild.unavailable) return
  const nonce =
    typeof request.nonce === 'string' && Buffer.byteLength(request.nonce) <= 32
      ? { nonce: request.nonce }
      : {}
  const dispatch = (members: SimMember[], index: number, count: number, extra: object = {}) =>
    session.dispatch(
      'GUILD_MEMBERS_CHUNK',
      chunk(world, guild, members, { chunk_index: index, chunk_count: count, ...extra, ...nonce }),
    )

  if (request.user_ids !== undefined) {
    const ids = [request.user_ids].flat().slice(0, 100)
    const found = ids.flatMap((id) => guild.members.get(id) ?? [])
    const not_found = ids.filter((id) => !guild.members.get(id))
    return dispatch(found, 0, 1, not_found.length > 0 ? { not_found } : {})
  }
  if (request.query) {
    const limit = Math.min(100, Math.max(1, request.limit ?? 100))
    return dispatch(searchMembers(world, guild, request.query, limit), 0, 1)
  }
  if ((session.intents & intent.guildMembers) === 0) return
  const waitMs = waitMsFor(guild.id)
  if (waitMs > 0) {
    const limited = { opcode: 8, retry_after: waitMs / 1_000, meta: { guild_id: guild.id, ...nonce } }
    session.dispatch('RATE_LIMITED', JSON.stringify(limited))
    return
  }
  await sendAll(guild, request.limit ?? 0, dispatch)
}

/** One chunk per turn of the event loop: 200,000 members must not keep everything else waiting. */
async function sendAll(
  guild: SimGuild,
  limit: number,
  dispatch: (members: SimMember[], index: number, count: number) => void,
): Promise<void> {
  const total = limit > 0 ? Math.min(limit, guild.members.size) : guild.members.size
  const count = Math.max(1, Math.ceil(total / chunkSize))
  let after = '0'
  for (let index = 0; index < count; index++) {
    const members = guild.members.page(after, Math.min(chunkSize, total - index * chunkSize))
    after = members.at(-1)?.user_id ?? after
    dispatch(members, index, count)
    await nextTurn()
  }
}

function chunk(world: WorldState, guild: SimGuild, members: SimMember[], rest: object): string {
  const shown = members.map((member) => toMember(guild, member, getUser(world, member.user_id)))
  return JSON.stringify({ guild_id: guild.id, members: shown, ...rest })
}
