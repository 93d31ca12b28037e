import { type Static, Type } from 'typebox'
import { ChangeQuery, DryRun } from './dry-run.ts'
import { endpoint } from './endpoint.ts'
import { Closed, DateTime, Nullable, OneOf, Snowflake, Uuid } from './formats.ts'

const tag = 'Servers'

/** One sync of all members of a server from Discord. */
export const MemberSync = Type.Object({
  id: Uuid,
  serverId: Snowflake,
  status: OneOf('running', 'succeeded', 'failed'),
  startedAt: DateTime,
  finishedAt: Nullable(DateTime),
  seen: Type.Integer({ description: 'Members that Discord has listed so far.' }),
  changed: Type.Integer({ description: 'Memberships that were added or changed.' }),
  ended: Type.Integer({ description: 'Memberships that ended, according to Discord.' }),
  problem: Nullable(Type.String({ description: 'The reason for the failure.' })),
})

/** A Discord server that is registered here. */
export const ChatServer = Type.Object({
  id: Snowflake,
  name: Type.String(),
  icon: Nullable(Type.String({ description: 'Full CDN address.' })),
  isMain: Type.Boolean(),
  memberCount: Type.Integer({ description: 'Current members that the service has stored.' }),
  rolesSyncedAt: Nullable({ ...DateTime, description: 'The time when name and roles were last read.' }),
  lastSync: Nullable(MemberSync),
  createdAt: DateTime,
  updatedAt: DateTime,
})

/** A role as the administration sees it. */
export const Role = Type.Object({
  id: Snowflake,
  name: Type.String(),
  color: Nullable(Type.Integer({ description: 'Decimal RGB; null means no color.' })),
  position: Nullable(Type.Integer({ description: 'A higher number ranks above a lower one.' })),
})

/** A role in the list of a server's roles. */
const ListedRole = Type.Object({
  ...Role.properties,
  memberCount: Type.Integer({ description: 'Current members of the server who hold this role.' }),
})

/** A server that the bot is in. */
const BotServer = Type.Object({
  id: Snowflake,
  name: Type.String(),
  icon: Nullable(Type.String({ description: 'Full CDN address.' })),
  isRegistered: Type.Boolean(),
})

/** The bot, with its data from Discord. */
export const Bot = Type.Object({
  name: Type.String(),
  inviteUrl: Type.String({
    description:
      'The link for the manager of a server to invite the bot. The bot needs no permissions, so the link ' +
      'requests none.',
  }),
  mayListMembers: Type.Boolean({
    description:
      'True if the Server Members Intent is on in the Discord developer portal. Syncs and live roles require it.',
  }),
  servers: Type.Array(BotServer, { description: 'The servers that the bot is in, by name, at most 2,000.' }),
})

const params = Closed({ id: Snowflake })

/** Lists all registered servers, newest first. */
export const listServers = endpoint({
  method: 'GET',
  path: '/api/admin/servers',
  tag,
  summary: 'List the registered servers, newest first',
  auth: 'admin',
  answers: { 200: Type.Object({ data: Type.Array(ChatServer), total: Type.Integer() }) },
  refuses: [],
})

/** Returns the bot: its invitation link and its servers. Refuses with CHAT_PLATFORM_UNAVAILABLE. */
export const getBot = endpoint({
  method: 'GET',
  path: '/api/admin/bot',
  tag,
  summary: 'List the servers with the bot, and the link to invite it',
  auth: 'admin',
  answers: { 200: Bot },
  refuses: ['CHAT_PLATFORM_UNAVAILABLE'],
})

/** Registers a server. Refuses with SERVER_EXISTS, MAIN_SERVER_EXISTS, BOT_NOT_IN_SERVER. */
export const addServer = endpoint({
  method: 'POST',
  path: '/api/admin/servers',
  tag,
  summary: 'Register a server',
  description:
    'The bot must be in the server. If the server was removed before, the access of projects is restored, ' +
    'but the sessions that its removal ended stay ended. Members appear after the first sync, or when they ' +
    'sign in.',
  auth: 'admin',
  body: Closed({ id: Snowflake, isMain: Type.Optional(Type.Boolean({ default: false })) }),
  answers: { 201: ChatServer },
  refuses: ['SERVER_EXISTS', 'MAIN_SERVER_EXISTS', 'BOT_NOT_IN_SERVER'],
})

/** Sets or clears the main flag. Refuses with SERVER_NOT_FOUND, MAIN_SERVER_EXISTS. */
export const updateServer = endpoint({
  method: 'PATCH',
  path: '/api/admin/servers/{id}',
  tag,
  summary: 'Make a server the main server, or remove the main flag',
  description:
    'Only one server can be the main server, so first remove the flag from the old one. While no server has ' +
    'the flag, members with the admin role in the server of `CHAT_GUILD_ID` are System Admins.',
  auth: 'admin',
  params,
  query: ChangeQuery,
  body: Closed({ isMain: Type.Boolean() }),
  answers: { 200: Type.Union([ChatServer, DryRun]) },
  refuses: ['SERVER_NOT_FOUND', 'MAIN_SERVER_EXISTS'],
})

/** Removes a server and ends its sessions. Refuses with SERVER_NOT_FOUND, MAIN_SERVER_REQUIRED. */
export const removeServer = endpoint({
  method: 'DELETE',
  path: '/api/admin/servers/{id}',
  tag,
  summary: 'Remove a server',
  description:
    'All sessions in this server end immediately, and its members leave the lists. You cannot remove the ' +
    'main server or the server of `CHAT_GUILD_ID`, because their roles decide who is a System Admin.',
  auth: 'admin',
  params,
  query: ChangeQuery,
  answers: { 200: DryRun, 204: null },
  refuses: ['SERVER_NOT_FOUND', 'MAIN_SERVER_REQUIRED'],
})

/** Starts a sync of all members of a server, or returns the sync that is running. Refuses with SERVER_NOT_FOUND. */
export const syncServer = endpoint({
  method: 'POST',
  path: '/api/admin/servers/{id}/sync',
  tag,
  summary: 'Sync a server: read its name, roles, and members from Discord',
  description:
    'The sync runs in the background. The response contains this sync, or the one that is already running. ' +
    '`lastSync` of the server shows the progress. At the end, the audit log receives an entry of the type ' +
    '`sync`.',
  auth: 'admin',
  params,
  answers: { 202: MemberSync },
  refuses: ['SERVER_NOT_FOUND'],
})

/** Lists the roles of a server, highest first. Refuses with SERVER_NOT_FOUND. */
export const listRoles = endpoint({
  method: 'GET',
  path: '/api/admin/servers/{id}/roles',
  tag,
  summary: 'List the roles of a server, highest first',
  auth: 'admin',
  params,
  answers: { 200: Type.Object({ data: Type.Array(ListedRole), total: Type.Integer() }) },
  refuses: ['SERVER_NOT_FOUND'],
})

export type MemberSync = Static<typeof MemberSync>
export type Bot = Static<typeof Bot>
export type ChatServer = Static<typeof ChatServer>
export type Role = Static<typeof Role>
export type ListedRole = Static<typeof ListedRole>
