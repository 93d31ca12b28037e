import { join } from 'node:path'
import { Redis } from 'ioredis'
import pg from 'pg'
import { freePort } from '../../../tools/free-port.js'
import type { SoakFault } from './faults.ts'
import { createInstance, type SoakInstance } from './instance.ts'
import type { SoakPlace } from './place.ts'

/** The faults that the soak omits, because they take longer, or because the service cannot respond at all meanwhile. */

const unavailable = { logins: true, codes: ['DATABASE_UNAVAILABLE', 'temporarily_unavailable', 'a page'] }
const withoutDatabase = 'Requests receive 503 with Retry-After, never 401. The service recovers by itself.'

/** Runs statements as an administrator of the database, over a connection of its own. */
async function atDatabase(place: SoakPlace, ...statements: readonly string[]) {
  const client = new pg.Client({ connectionString: place.postgres.url })
  client.on('error', () => {})
  await client.connect()
  await client.query('set default_transaction_read_only = off')
  for (const statement of statements) await client.query(statement)
  await client.end()
}

const cutConnections =
  "select pg_terminate_backend(pid) from pg_stat_activity where datname = 'soak' and pid <> pg_backend_pid()"

/** The resources that a fault occupies until it ends. */
const held: {
  connections: pg.Client[]
  instance: SoakInstance | undefined
  ready: Promise<void> | undefined
} = {
  connections: [],
  instance: undefined,
  ready: undefined,
}

const another = async ({ env, folder }: SoakPlace) => {
  held.instance = createInstance('another', await freePort(), env, join(folder, 'another.log'))
  held.ready = held.instance.start()
  held.ready.catch(() => {})
}
const untilReady = async () => {
  await held.ready
  await held.instance?.stop()
}

/** The faults that only `npm run faults` causes. */
export const moreFaults: readonly SoakFault[] = [
  {
    name: 'connections cut, ten times a second',
    part: 'Database',
    promise: withoutDatabase,
    allows: unavailable,
    lastsMs: [2_000, 2_000],
    begin: async (place) => {
      for (let i = 0; i < 20; i++) {
        await atDatabase(place, cutConnections)
        await new Promise((resolve) => setTimeout(resolve, 100))
      }
    },
  },
  {
    name: 'read-only',
    part: 'Database',
    promise: 'Reads work. Changes receive 503 with the reason.',
    allows: unavailable,
    lastsMs: [4_000, 4_000],
    begin: (place) =>
      atDatabase(place, 'alter system set default_transaction_read_only = on', 'select pg_reload_conf()'),
    end: (place) =>
      atDatabase(place, 'alter system reset default_transaction_read_only', 'select pg_reload_conf()'),
  },
  {
    name: 'out of connections',
    part: 'Database',
    promise: withoutDatabase,
    allows: unavailable,
    lastsMs: [4_000, 4_000],
    begin: async (place) => {
      await atDatabase(place, cutConnections)
      for (let i = 0; i < 100; i++) {
        const client = new pg.Client({ connectionString: place.postgres.url })
        client.on('error', () => {})
        const isOpen = await client.connect().then(
          () => true,
          () => false,
        )
        if (!isOpen) break
        held.connections.push(client)
        // Also cuts the connections that the service has opened in the meantime.
        if (i % 10 === 9) await held.connections[0]?.query(cutConnections)
      }
    },
    end: async () => {
      await Promise.all(held.connections.map((client) => client.end()))
      held.connections = []
    },
  },
  {
    name: 'down while an instance starts',
    part: 'Database',
    promise: 'The instance waits for the database, and then becomes ready by itself.',
    allows: unavailable,
    lastsMs: [3_000, 3_000],
    begin: async (place) => {
      await place.postgres.stop()
      await another(place)
    },
    end: async ({ postgres }) => {
      await postgres.start()
      await untilReady()
    },
  },
  {
    name: 'down while an instance starts',
    part: 'Cache',
    promise: 'The instance starts and serves requests.',
    allows: {},
    lastsMs: [500, 500],
    begin: async (place) => {
      place.redis.kill()
      await another(place)
      await untilReady()
    },
    end: ({ redis }) => redis.start(),
  },
  {
    name: 'emptied (FLUSHALL)',
    part: 'Cache',
    promise: 'No request fails. Revoked sessions and keys stay invalid.',
    allows: {},
    lastsMs: [1_000, 1_000],
    begin: async ({ redis: { url } }) => {
      const redis = new Redis(url)
      await redis.flushall()
      redis.disconnect()
    },
  },
  {
    name: 'bot token rejected (401)',
    part: 'Discord',
    promise: 'Requests that need the token receive 503. No session ends.',
    allows: { logins: true, codes: ['CHAT_PLATFORM_UNAVAILABLE', 'temporarily_unavailable', 'a page'] },
    lastsMs: [5_000, 5_000],
    begin: ({ sim }) => sim.failFor('*', { status: 401 }, 600_000, { auth: 'bot' }),
    end: ({ sim }) => sim.clearFaults(),
  },
  {
    name: 'the main server is unavailable',
    part: 'Discord',
    promise: 'No session and no membership ends.',
    allows: { logins: true, codes: ['CHAT_PLATFORM_UNAVAILABLE', 'temporarily_unavailable', 'a page'] },
    lastsMs: [5_000, 5_000],
    begin: ({ sim, env }) => sim.world.setGuildUnavailable(env['CHAT_GUILD_ID'] ?? '', true),
    end: ({ sim, env }) => sim.world.setGuildUnavailable(env['CHAT_GUILD_ID'] ?? '', false),
  },
]
