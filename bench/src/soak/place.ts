import { join } from 'node:path'
import { type ChatSim, demo, demoWorld, startChatSim } from '@rolecall/chat-sim'
import { freePort } from '../../../tools/free-port.js'
import { makeFolder, type Postgres, removeFolder, startPostgres } from '../postgres.ts'
import { type Redis, startRedis } from '../redis.ts'
import { createInstance, type SoakInstance } from './instance.ts'

/** A complete deployment: two instances, their PostgreSQL and Redis, and the simulated chat platform. */
export interface SoakPlace {
  readonly folder: string
  readonly sim: ChatSim
  readonly postgres: Postgres
  readonly redis: Redis
  readonly env: Readonly<Record<string, string>>
  /** The instance with one process that is never stopped. A leak shows as growth of this process over the whole run. */
  readonly steady: SoakInstance
  /** The instance with two workers, which is stopped, killed, and hung at random. */
  readonly troubled: SoakInstance
  readonly instances: readonly [SoakInstance, SoakInstance]
  /** The IDs of the members who sign in. */
  readonly memberIds: readonly string[]
  close(): Promise<void>
}

export const club = demo.mainGuildId

/** The `PUBLIC_URL` of both instances, as if they were behind a proxy. Requests go directly to the instances. */
const publicUrl = 'http://127.0.0.1:9099'

/** Starts a complete deployment with members who can sign in. */
export async function makePlace(
  members: number,
  more: Readonly<Record<string, string>> = {},
): Promise<SoakPlace> {
  const folder = await makeFolder()
  const postgres = await startPostgres(folder)
  const redis = await startRedis('0-1')
  if (!redis) throw new Error('This needs redis-server or valkey-server on the PATH.')
  const world = demoWorld({ crowd: 200 })
  const memberIds = Array.from({ length: members }, (_, i) => {
    const { id } = world.addUser({ username: `soak.${i}` })
    world.addMember(club, id, { roles: [demo.roles.crew] })
    return id
  })
  const sim = await startChatSim({ world, headlessLogin: true })
  sim.allowRedirect(`${publicUrl}/api/auth/callback`)
  const env = {
    NODE_ENV: 'test',
    PUBLIC_URL: publicUrl,
    DATABASE_URL: await postgres.database('soak'),
    CACHE_URL: redis.url,
    CHAT_API_URL: sim.apiUrl,
    CHAT_AUTHORIZE_URL: sim.authorizeUrl,
    CHAT_CDN_URL: sim.cdnUrl,
    CHAT_CALLBACK_URL: `${publicUrl}/api/auth/callback`,
    CHAT_BOT_TOKEN: sim.app.botToken,
    CHAT_CLIENT_ID: sim.app.clientId,
    CHAT_CLIENT_SECRET: sim.app.clientSecret,
    CHAT_GUILD_ID: club,
    CHAT_ADMIN_ROLE_ID: demo.adminRoleId,
    RATE_LIMIT_GLOBAL: '0',
    LOG_LEVEL: 'warn',
    OUTBOUND_WEBHOOK_ENCRYPTION_KEY: '5f0c8a2d9b7e41f36c8d0a59e27b1f4460a9d3c85e7b2f19084d6ca1937be25d',
    INBOUND_WEBHOOK_ENCRYPTION_KEY: 'a17c04d96e3b8f52907a1dce48b3f60527d9ec418f5a0b63c2e87194d50fa3b6',
    ...more,
  }
  const own = async (name: string, its: Record<string, string>) =>
    createInstance(name, await freePort(), { ...env, ...its }, join(folder, `${name}.log`))
  const steady = await own('steady', {})
  const troubled = await own('troubled', { WORKERS: '2' })
  await steady.start()
  await troubled.start()
  return {
    folder,
    sim,
    postgres,
    redis,
    env,
    steady,
    troubled,
    instances: [steady, troubled],
    memberIds,
    async close() {
      await Promise.all([steady.kill(), troubled.kill()])
      redis.stop()
      await postgres.stop()
      await sim.close()
      await removeFolder(folder)
    },
  }
}
