import { serverCore } from './compare.ts'
import { makeFolder, type Postgres, removeFolder, startPostgres } from './postgres.ts'
import { type Redis, startRedis } from './redis.ts'
import { environment, prepare, type Seeded, seedSessions } from './seed.ts'

/**
 * Everything that measurements share: a folder, and a PostgreSQL and a Redis of their own, on the core of the servers.
 */
export interface Place {
  readonly folder: string
  readonly postgres: Postgres
  readonly redis: Redis | undefined
  readonly sessions: number
  /** Creates Rolecall's sessions on PostgreSQL. Later calls return the same sessions. */
  readonly seedPostgres: () => Promise<{ env: Record<string, string>; seeded: Seeded }>
}

/** Creates the place, runs `work` in it, and removes it. */
export async function inPlace<T>(sessions: number, work: (place: Place) => Promise<T>): Promise<T> {
  const folder = await makeFolder()
  const postgres = await startPostgres(folder, serverCore)
  const redis = await startRedis(serverCore)
  if (!redis) console.log('Without redis-server or valkey-server on the PATH, rows with Redis are skipped.')
  const seed = async () => {
    console.log(`${sessions} sessions of Rolecall on PostgreSQL`)
    const env = { ...environment, DATABASE_URL: await postgres.database('rolecall') }
    return { env, seeded: await prepare(env, (deps) => seedSessions(deps, sessions)) }
  }
  let seeding: ReturnType<typeof seed> | undefined
  const seedPostgres = () => {
    seeding ??= seed()
    return seeding
  }
  try {
    return await work({ folder, postgres, redis, sessions, seedPostgres })
  } finally {
    redis?.stop()
    await postgres.stop()
    await removeFolder(folder)
  }
}
