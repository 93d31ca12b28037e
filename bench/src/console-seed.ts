import { createCommitments, type HashedEntry, hashOf } from '@rolecall/api/audit/entry'
import { appendEntries, type ChainedEntry, lockHead } from '@rolecall/api/audit/store'
import type { Deps } from '@rolecall/api/deps'
import { grantAccess } from '@rolecall/api/features/access/grant-access'
import { createProject } from '@rolecall/api/features/projects/create-project'
import { uuidv7 } from '@rolecall/api/platform/crypto/uuid'
import { sql } from '@rolecall/api/platform/db/sql'
import { serverId } from './seed.ts'

const batch = 5_000
const actionTypes = ['auth', 'project', 'server', 'role', 'webhook', 'member', 'sync', 'permission']
const yearMs = 365 * 86_400_000

/** Creates four more servers, and `count` projects with access to two servers each. Returns the IDs of the projects. */
export async function seedProjects(deps: Deps, count: number): Promise<string[]> {
  const servers = [1, 2, 3, 4].map((more) => `${serverId.slice(0, -1)}${more}`)
  for (const [at, id] of servers.entries())
    await deps.db.execute(sql`insert into servers (id, name) values (${id}, ${`Club ${at + 2}`})`)
  const ids: string[] = []
  for (let number = 1; number <= count; number++) {
    const { id } = await createProject(deps, {}, { name: `Project ${String(number).padStart(4, '0')}` })
    ids.push(id)
    await grantAccess(deps, {}, { projectId: id, serverId })
    await grantAccess(deps, {}, { projectId: id, serverId: servers[number % servers.length] ?? serverId })
  }
  return ids
}

/** Adds the audit entries of a year, newest last, linked to the chain that the service checks. */
export async function seedAudit(
  { db }: Deps,
  count: number,
  projects: readonly string[],
  members: readonly string[],
) {
  const begin = Date.now() - yearMs
  for (let first = 0; first < count; first += batch) {
    const size = Math.min(batch, count - first)
    await db.transaction(
      async (tx) => {
        const head = await lockHead(tx)
        const entries: ChainedEntry[] = []
        let previousHash = head.hash
        for (let i = 0; i < size; i++) {
          const entry = entryOf(first + i, head.seq + i + 1, begin + (yearMs * (first + i)) / count, {
            projects,
            members,
          })
          const commitments = createCommitments(entry)
          const hash = hashOf(previousHash, entry, commitments)
          entries.push({ ...entry, ...commitments, previousHash, hash })
          previousHash = hash
        }
        await appendEntries(tx, entries)
      },
      { long: true },
    )
    if ((first + size) % 100_000 === 0) console.log(`  ${first + size} of ${count} audit entries`)
  }
}

interface Named {
  readonly projects: readonly string[]
  readonly members: readonly string[]
}

/** Returns an audit entry. One in a thousand is an error, and one in fifty a warning. The actors are thirty people. */
function entryOf(number: number, seq: number, atMs: number, { projects, members }: Named): HashedEntry {
  const at = number % projects.length
  return {
    seq,
    id: uuidv7(),
    at: new Date(atMs).toISOString(),
    actorId: members[number % 30] ?? null,
    actorUsername: `admin.${number % 30}`,
    actionType: actionTypes[number % actionTypes.length] ?? 'auth',
    action: 'project.update',
    severity: number % 1_000 === 0 ? 'error' : number % 50 === 0 ? 'warning' : 'info',
    targetType: 'project',
    targetId: projects[at] ?? null,
    targetName: `Project ${at + 1}`,
    summary: `Project ${at + 1} was updated.`,
    changes: JSON.stringify({ description: { before: `Text ${number}`, after: `Text ${number + 1}` } }),
    ip: '192.0.2.7',
    requestId: null,
  }
}
