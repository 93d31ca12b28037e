import { setTimeout as sleep } from 'node:timers/promises'
import { demo, demoWorld, startChatSim } from '@rolecall/chat-sim'

/**
 * Runs the simulated chat platform with MEMBERS people in its main server, in a process of its own. On request it
 * changes roles, or responds to every request with 429.
 */
export type PlatformOrder =
  | {
      readonly do: 'edit'
      readonly perSecond: number
      readonly seconds: number
      readonly watched: readonly string[]
    }
  | { readonly do: 'storm'; readonly seconds: number }
  | { readonly do: 'cut'; readonly seconds: number }

/** The time of a role change of a watched member. The nickname contains it, for readers of the member. */
export interface Changed {
  readonly changed: string
  readonly at: number
}

const { crew, deckhand, guest } = demo.roles
const club = demo.mainGuildId
const world = demoWorld()
const members = Number(process.env['MEMBERS'] ?? 50_000)
world.bulkMembers(club, members, [crew, deckhand, guest])
const sim = await startChatSim({ world })
process.send?.({ apiUrl: sim.apiUrl, authorizeUrl: sim.authorizeUrl, botToken: sim.app.botToken })

process.on('message', async (order: PlatformOrder) => {
  if (order.do === 'edit') return edit(order)
  const ms = order.seconds * 1_000
  if (order.do === 'storm') sim.failFor('*', { status: 429, retryAfterSec: 1 }, ms)
  else {
    sim.gateway.refuse(ms)
    sim.gateway.dropAll()
  }
})

/** Every tenth change affects a watched member. */
async function edit({ perSecond, seconds, watched }: PlatformOrder & { do: 'edit' }) {
  const others =
    world.guilds
      .get(club)
      ?.members.page('0', 5_000)
      .map(({ user_id }) => user_id) ?? []
  const startedAt = performance.now()
  const total = perSecond * seconds
  for (let done = 0; done < total; ) {
    const due = Math.min(total, Math.floor(((performance.now() - startedAt) / 1_000) * perSecond))
    for (; done < due; done++) {
      const isWatched = done % 10 === 0
      const id = isWatched ? watched[(done / 10) % watched.length] : others[done % others.length]
      if (!id || id === demo.users.bot) continue
      const at = Date.now()
      const roles = [[crew], [deckhand, guest], []][done % 3] ?? []
      world.updateMember(club, id, isWatched ? { roles, nick: String(at) } : { roles })
      if (isWatched) process.send?.({ changed: id, at } satisfies Changed)
    }
    await sleep(5)
  }
  process.send?.({ edited: total, seconds: (performance.now() - startedAt) / 1_000 })
}
