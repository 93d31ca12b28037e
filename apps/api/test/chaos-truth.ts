import { type ChatSim, demo } from '@rolecall/chat-sim'
import type { Random } from './random.ts'

const club = demo.mainGuildId

/** The true state of a member in a period: their existing roles, or undefined if they are not in the server. */
interface Version {
  readonly from: number
  readonly roles: string | undefined
}

/**
 * Models the true state of the simulated platform independently, with all former states. It changes the platform at
 * random, and records each change before the platform receives it.
 */
export function createTruth(sim: ChatSim, random: Random, memberIds: readonly string[]) {
  const roles = new Set<string>(Object.values(demo.roles))
  const made: string[] = []
  const members = new Map<string, readonly string[] | undefined>()
  const history = new Map<string, Version[]>()
  const departures = new Map<string, number[]>()
  const banned = new Set<string>()

  const now = () => Date.now()
  const heldBy = (id: string) => {
    const held = members.get(id)
    return held && [...held.filter((role) => roles.has(role))].sort().join()
  }
  const note = (id: string) => {
    const versions = history.get(id) ?? []
    history.set(id, versions)
    const value = heldBy(id)
    if (versions.length === 0 || versions.at(-1)?.roles !== value)
      versions.push({ from: now(), roles: value })
  }
  const set = (id: string, held: readonly string[] | undefined) => {
    members.set(id, held)
    if (!held) departures.set(id, [...(departures.get(id) ?? []), now()])
    note(id)
  }
  const someRoles = () => random.some([...given, ...made], 3)
  const present = () => random.one(memberIds.filter((id) => members.get(id)))
  const absent = () => random.one(memberIds.filter((id) => !members.get(id) && !banned.has(id)))

  for (const id of memberIds) {
    const held = sim.world.guilds.get(club)?.members.get(id)?.roles
    members.set(id, held ? [...held] : undefined)
    note(id)
  }

  const edits: readonly (readonly [weight: number, edit: () => void])[] = [
    [
      40,
      () => {
        const [id, held] = [present(), someRoles()]
        if (!id) return
        set(id, held)
        sim.world.setRoles(club, id, held)
      },
    ],
    [
      8,
      () => {
        const id = present()
        if (id) sim.world.setNick(club, id, random.chance(0.2) ? null : `Nick ${random.below(1_000)}`)
      },
    ],
    [
      4,
      () => {
        const id = present()
        if (!id) return
        set(id, undefined)
        sim.world.removeMember(club, id)
      },
    ],
    [
      2,
      () => {
        const id = present()
        if (!id) return
        set(id, undefined)
        banned.add(id)
        sim.world.ban(club, id)
      },
    ],
    [
      8,
      () => {
        const [id, held] = [absent(), someRoles()]
        if (!id) return
        set(id, held)
        sim.world.addMember(club, id, { roles: held })
      },
    ],
    [
      3,
      () => {
        const id = random.one([...banned])
        if (!id) return
        banned.delete(id)
        sim.world.unban(club, id)
      },
    ],
    [
      3,
      () => {
        if (made.length >= 8) return
        const { id } = sim.world.createRole(club, {
          name: `Role ${random.below(1_000)}`,
          position: random.below(50),
        })
        roles.add(id)
        made.push(id)
      },
    ],
    [
      2,
      () => {
        const id = random.one(made)
        if (id)
          sim.world.updateRole(club, id, {
            name: `Role ${random.below(1_000)}`,
            color: random.below(0xffffff),
          })
      },
    ],
    [
      2,
      () => {
        const id = random.one(made)
        if (!id) return
        made.splice(made.indexOf(id), 1)
        roles.delete(id)
        sim.world.deleteRole(club, id)
        for (const memberId of memberIds) note(memberId)
      },
    ],
    [1, () => void sim.world.updateGuild(club, { name: `Harbour Club ${random.below(1_000)}` })],
    [
      2,
      () => {
        const id = random.one(memberIds)
        if (id) sim.world.updateUser(id, { username: `renamed.${random.below(100_000)}` })
      },
    ],
  ]

  return {
    edit: () => random.weighted(edits)(),
    isMember: (id: string) => members.get(id) !== undefined,
    rolesOf: heldBy,
    departures: (id: string) => departures.get(id) ?? [],
    /** Returns true if the member had this state at some moment of a period. */
    wasTrue(id: string, value: string | undefined, from: number, to: number): boolean {
      const versions = history.get(id) ?? []
      return versions.some(
        (version, i) =>
          version.roles === value &&
          version.from <= to &&
          (versions[i + 1]?.from ?? Number.POSITIVE_INFINITY) >= from,
      )
    },
    /** Returns the last states, for the message of a failure. */
    tail: (id: string) =>
      (history.get(id) ?? [])
        .slice(-8)
        .map(({ from, roles }) => ({ from: new Date(from).toISOString(), roles })),
  }
}

export type Truth = ReturnType<typeof createTruth>

const { crew, deckhand, guest, captain, quiet } = demo.roles
/** The roles that the test adds and removes. It does not change the holders of other roles. */
const given = [crew, deckhand, guest, captain, quiet]
