import { demo } from './demo-ids.ts'
import type { UserInput } from './edit-users.ts'

const { users, roles, gamesRoles } = demo
const picture = (seed: number) => seed.toString(16).padStart(32, '9f3c7a51')

interface Person extends UserInput {
  id: string
  username: string
  club?: { roles?: readonly string[]; nick?: string; pending?: boolean; joined_at: string }
  games?: { roles?: readonly string[]; nick?: string; joined_at: string }
  banned?: boolean
}

/** The named people of the demo world, in the order of the login page. */
export const people: readonly Person[] = [
  {
    id: users.mara,
    username: 'mara.lind',
    global_name: 'Mara Lind',
    avatar: picture(1),
    mfa_enabled: true,
    club: { roles: [roles.steward, roles.crew, roles.portWatch], joined_at: '2023-04-24T16:30:00.000Z' },
    games: { roles: [gamesRoles.gameMaster], joined_at: '2023-06-02T20:10:00.000Z' },
  },
  {
    id: users.joon,
    username: 'joon_park',
    global_name: 'Joon Park',
    avatar: picture(2),
    locale: 'ko',
    club: { roles: [roles.captain, roles.portWatch], joined_at: '2023-04-25T07:15:00.000Z' },
    games: { roles: [gamesRoles.player], nick: 'Captain Joon', joined_at: '2023-06-03T09:00:00.000Z' },
  },
  {
    id: users.ada,
    username: 'ada.osei',
    global_name: 'Ada Osei',
    avatar: `a_${picture(3)}`,
    club: { roles: [roles.crew], nick: 'Ada (first mate)', joined_at: '2023-05-02T18:00:00.000Z' },
  },
  {
    id: users.tomas,
    username: 'tomas_v',
    global_name: 'Tomás Vrána',
    avatar: picture(4),
    locale: 'cs',
    club: { roles: [roles.deckhand, roles.starboardWatch], joined_at: '2023-05-20T12:45:00.000Z' },
  },
  {
    id: users.yusra,
    username: 'yusra.h',
    global_name: 'يسرى حداد',
    avatar: picture(5),
    club: { roles: [roles.crew, roles.quiet], joined_at: '2023-06-11T10:05:00.000Z' },
  },
  {
    id: users.piper,
    username: 'piper9041',
    global_name: null,
    avatar: null,
    club: { nick: 'Piper ⛵️🌊', joined_at: '2023-08-01T08:08:08.000Z' },
  },
  {
    id: users.layla,
    username: 'layla.m',
    global_name: 'Layla Marsh',
    avatar: picture(6),
    club: { pending: true, joined_at: '2024-01-05T14:00:00.000Z' },
  },
  {
    id: users.rosa,
    username: 'rosa.quint',
    global_name: 'Rosa Quint',
    avatar: picture(7),
    email: null,
    verified: false,
    club: { roles: [roles.guest], joined_at: '2023-09-17T17:17:00.000Z' },
  },
  {
    id: users.kenji,
    username: 'kenji_mori',
    global_name: 'Kenji Mori',
    avatar: picture(8),
    locale: 'ja',
    verified: false,
    club: { roles: [roles.guest], joined_at: '2023-10-02T03:30:00.000Z' },
  },
  {
    id: users.noor,
    username: 'noor.games',
    global_name: 'Noor Haddad',
    avatar: picture(9),
    games: { roles: [gamesRoles.player], joined_at: '2023-07-07T19:00:00.000Z' },
  },
  { id: users.emil, username: 'emil.strand', global_name: 'Emil Strand', avatar: picture(10) },
  { id: users.viktor, username: 'viktor_k', global_name: 'Viktor Krog', avatar: picture(11), banned: true },
  {
    id: users.tidebot,
    username: 'TideBot',
    discriminator: '4821',
    avatar: picture(12),
    bot: true,
    email: null,
    verified: false,
    club: { joined_at: '2023-11-11T11:11:00.000Z' },
  },
]
