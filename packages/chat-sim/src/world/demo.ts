import { bulkId } from './bulk.ts'
import { demo } from './demo-ids.ts'
import { people } from './demo-people.ts'
import { createWorld, type World } from './world.ts'

const administrator = '8'
const manage = '268435464' // manage roles and messages

/**
 * Creates the demo world, a small harbor community. It is the same at every start, including all IDs and dates. `crowd`
 * is the number of generated people in the club, in addition to the named ones.
 */
export function demoWorld({ crowd = 1_200 } = {}): World {
  const world = createWorld({
    clientId: demo.clientId,
    clientSecret: demo.clientSecret,
    botToken: demo.botToken,
    name: 'Harbour Pass',
    redirectUris: ['http://127.0.0.1:3000/api/auth/callback', 'http://localhost:3000/api/auth/callback'],
    memberIntent: true,
  })
  addGuilds(world)
  addRoles(world)
  addPeople(world)
  const { crew, deckhand, guest, portWatch, starboardWatch } = demo.roles
  // The more often a role is listed here, the more generated people have it.
  const worn = [crew, deckhand, crew, guest, portWatch, crew, deckhand, starboardWatch, guest]
  world.bulkMembers(demo.mainGuildId, crowd, worn)
  world.bulkMembers(demo.gamesGuildId, 40, [demo.gamesRoles.player])
  // Some members of the club play, too.
  for (let index = 0; index < Math.min(crowd, 400); index += 16) {
    const joined_at = new Date(Date.UTC(2023, 8, 1 + index / 4, 18)).toISOString()
    world.addMember(demo.gamesGuildId, bulkId(index), { roles: [demo.gamesRoles.player], joined_at })
  }
  world.addWebhook(demo.mainGuildId, demo.webhook)
  return world
}

function addGuilds(world: World): void {
  const owner_id = demo.users.mara
  world.addGuild({
    id: demo.mainGuildId,
    channel_id: '1100089316144578564',
    name: 'Harbour Club',
    description: 'A club for people who like boats.',
    icon: '5f0e3c1a9b7d2468ace013579bdf2468',
    owner_id,
  })
  world.addGuild({
    id: demo.gamesGuildId,
    channel_id: '1114278300378726404',
    name: 'Harbour Games',
    description: 'Board games on board.',
    icon: '0a1b2c3d4e5f60718293a4b5c6d7e8f9',
    owner_id,
  })
}

function addRoles(world: World): void {
  const { roles, gamesRoles, mainGuildId, gamesGuildId, clientId } = demo
  const tags = { bot_id: clientId }
  const club = [
    {
      id: roles.steward,
      name: 'Steward',
      color: 0xc0392b,
      position: 9,
      permissions: administrator,
      hoist: true,
    },
    { id: roles.bot, name: 'Harbour Pass', position: 8, managed: true, permissions: '268435462', tags },
    { id: roles.captain, name: 'Captain', color: 0xe67e22, position: 7, permissions: manage, hoist: true },
    { id: roles.crew, name: 'Crew', color: 0x2980b9, position: 6, hoist: true, mentionable: true },
    { id: roles.deckhand, name: 'Deckhand', color: 0x27ae60, position: 5 },
    { id: roles.portWatch, name: 'Port watch', color: 0xad1457, position: 4 },
    { id: roles.starboardWatch, name: 'Starboard watch', color: 0x1f8b4c, position: 4 },
    { id: roles.quiet, name: 'Quiet cabin', color: 0, position: 2 },
    { id: roles.guest, name: 'Guest', color: 0x95a5a6, position: 1 },
  ]
  const games = [
    { id: gamesRoles.gameMaster, name: 'Game master', color: 0x8e44ad, position: 3, permissions: manage },
    { id: gamesRoles.bot, name: 'Harbour Pass', position: 2, managed: true, permissions: '6', tags },
    { id: gamesRoles.player, name: 'Player', color: 0xf1c40f, position: 1 },
  ]
  for (const role of club) world.createRole(mainGuildId, role)
  for (const role of games) world.createRole(gamesGuildId, role)
}

function addPeople(world: World): void {
  for (const { club, games, banned, ...user } of people) {
    world.addUser(user)
    if (club) world.addMember(demo.mainGuildId, user.id, club)
    if (games) world.addMember(demo.gamesGuildId, user.id, games)
    if (banned) world.ban(demo.mainGuildId, user.id, 'Cut the mooring lines')
  }
  world.addUser({
    id: demo.users.bot,
    username: 'Harbour Pass',
    discriminator: '7702',
    bot: true,
    email: null,
  })
  const joined_at = '2023-06-02T20:02:00.000Z'
  world.addMember(demo.mainGuildId, demo.users.bot, { roles: [demo.roles.bot], joined_at })
  world.addMember(demo.gamesGuildId, demo.users.bot, { roles: [demo.gamesRoles.bot], joined_at })
}
