import { noUserFields } from '@rolecall/api/chat/chat-objects'
import type { ChatMember } from '@rolecall/api/chat/chat-platform'
import { loadConfig } from '@rolecall/api/config'
import type { Deps } from '@rolecall/api/deps'
import { grantAccess } from '@rolecall/api/features/access/grant-access'
import { ensureMainServer } from '@rolecall/api/features/chat-servers/main-server'
import { issueCode } from '@rolecall/api/features/login/issue-code'
import { createProject } from '@rolecall/api/features/projects/create-project'
import { exchangeCode } from '@rolecall/api/features/sessions/exchange-code'
import { createSessionChanges } from '@rolecall/api/features/sessions/gathered-changes'
import { writeServer } from '@rolecall/api/mirror/write-servers'
import { migrate } from '@rolecall/api/platform/db/migrate'
import { createLog } from '@rolecall/api/platform/log'
import { createDeps, openConfiguredDatabase } from '@rolecall/api/wiring/create-deps'

export const serverId = '1100089314336833537'

/** The environment of a service under load, besides its database. */
export const environment = {
  NODE_ENV: 'test',
  CHAT_GUILD_ID: serverId,
  CHAT_GATEWAY: 'off',
  // No chat platform responds at this address. The stored roles stay fresh for the duration of the run.
  CHAT_API_URL: 'http://127.0.0.1:9/api',
  PERMISSION_TTL_MS: '3600000',
  // The rate limits are on, but so high that they are never reached.
  RATE_LIMIT_GLOBAL: '1000000000',
  LOG_LEVEL: 'error',
}
export const redirectUri = 'https://site.example/callback'
const roles = Array.from({ length: 12 }, (_, i) => ({
  id: String(1_100_093_797_636_898_817n + BigInt(i)),
  name: `Role ${i}`,
  color: i * 1000,
  position: i,
}))

export const roleIds = roles.map(({ id }) => id)
/** The ID of the admin role. Members with this role are System Admins, if the service is configured with it. */
export const adminRoleId = String(1_100_093_797_636_898_817n + 100n)
const adminRole = { id: adminRoleId, name: 'Admin', color: 0, position: roles.length }

/** A project, and the sessions of its members. */
export interface Seeded {
  readonly projectId: string
  readonly apiKey: string
  readonly tokens: readonly string[]
}

/** Migrates a database, creates a main server, and runs `work` with the service's own functions. */
export async function prepare<T>(env: Record<string, string>, work: (deps: Deps) => Promise<T>): Promise<T> {
  const log = createLog('warn')
  const { config } = loadConfig(env)
  const db = await openConfiguredDatabase(config, log)
  await migrate(db)
  const deps = createDeps(config, log, db)
  await ensureMainServer({ db }, serverId)
  const made = await work(deps)
  await deps.cache.close()
  await db.close()
  return made
}

/** Creates a project, and `count` members with a session each. */
export async function seedSessions(deps: Deps, count: number): Promise<Seeded> {
  const server = { id: serverId, name: 'Club', icon: null, roles: [...roles, adminRole] }
  await deps.db.transaction((tx) => writeServer(tx, server, 'now'))
  const project = await createProject(deps, {}, { name: 'Bench', redirectUris: [redirectUri] })
  await grantAccess(deps, {}, { projectId: project.id, serverId })
  const tokens: string[] = []
  let next = 0
  const lane = async () => {
    for (let at = next++; at < count; at = next++) {
      tokens[at] = await givenSession(deps, project.id, member(at + 1))
      if ((at + 1) % 2_500 === 0) console.log(`  ${at + 1} of ${count} sessions`)
    }
  }
  await Promise.all(Array.from({ length: 8 }, lane))
  return { projectId: project.id, apiKey: project.apiKey, tokens }
}

async function givenSession(deps: Deps, projectId: string, chatMember: ChatMember): Promise<string> {
  const { id: memberId } = chatMember.user
  await deps.mirrorMember(serverId, chatMember.user, chatMember, 'now')
  const code = await deps.db.transaction((tx) =>
    issueCode(tx, {
      projectId,
      memberId,
      serverId,
      redirectUri,
      codeChallenge: null,
      ip: null,
      userAgent: null,
    }),
  )
  const exchange = {
    clientId: projectId,
    code: code ?? '',
    redirectUri,
    forwarded: { ip: null, userAgent: null },
  }
  const withChanges = { ...deps, ...createSessionChanges(deps.db) }
  return (await exchangeCode(withChanges, { projectId, keyDigest: '', bucket: '' }, exchange)).token
}

const member = (i: number): ChatMember => ({
  user: {
    ...noUserFields,
    id: String(480_844_663_499_128_837n + BigInt(i) * 4_194_304n),
    username: `member.${i}`,
    globalName: `Member ${i}`,
    avatar: `https://cdn.discordapp.com/avatars/${480_844_663_499_128_837n}/9f3c7a519f3c7a519f3c7a519f3c7a53.png`,
    email: `member.${i}@example.test`,
    isBot: false,
  },
  nick: i % 2 ? `Nick ${i}` : null,
  roleIds: roles.filter((_, role) => (i + role) % 4 === 0).map(({ id }) => id),
  joinedAt: new Date('2024-01-02T03:04:05Z'),
  pending: false,
})
