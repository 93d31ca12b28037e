import { sql } from '../src/platform/db/sql.ts'
import { type Call, call } from './client.ts'
import { givenAdmin } from './given.ts'
import type { World } from './service.ts'

export interface Administration {
  readonly token: string
  /** Calls `/api/admin/projects…` as the admin. `at` is the address of another instance. */
  // biome-ignore lint/suspicious/noExplicitAny: as in `call`, tests assert the parts of the body that they need.
  projects(method: string, path: string, body?: unknown, at?: string): ReturnType<typeof call<any>>
  /** Creates a project, and expects success. Replaces a project that an earlier attempt of the same test created. */
  create(body?: object): Promise<{ project: { id: string; name: string }; apiKey: string }>
  /** Returns the entries of the audit log about a target, oldest first. */
  audit(targetId: string): Promise<AuditEntry[]>
}

interface AuditEntry {
  readonly action: string
  readonly actorId: string | null
  readonly summary: string
  readonly changes: Record<string, { before: unknown; after: unknown }> | null
}

let created = 0

/** Creates a System Admin, and returns the calls of the administration. */
export async function givenAdministration(world: World): Promise<Administration> {
  const token = await givenAdmin(world)
  const projects = (method: string, path: string, body?: unknown, at = world.url) => {
    const options: Call = body === undefined ? { token } : { token, body }
    return call(at, method, `/api/admin/projects${path}`, options)
  }
  return {
    token,
    projects,
    async create(body = {}) {
      created += 1
      const project = { name: `Made ${created}`, ...body }
      let reply = await projects('POST', '', project)
      if (reply.body.code === 'PROJECT_NAME_TAKEN') {
        const { body: found } = await projects('GET', `?name=${encodeURIComponent(project.name)}`)
        const former = found.data.find(({ name }: { name: string }) => name === project.name)
        await projects('DELETE', `/${former.id}`)
        reply = await projects('POST', '', project)
      }
      if (reply.status !== 201) throw new Error(reply.text)
      return reply.body
    },
    audit: (targetId) =>
      world.service.deps.db.query<AuditEntry>(sql`
        select action, actor_id as "actorId", summary, changes from audit_log
        where target_id = ${targetId} order by seq`),
  }
}

/** Text with a special meaning in SQL, LIKE, regular expressions, a shell, or HTML. */
export const hostileTexts = [
  "'",
  "' or 1=1 --",
  "'; drop table projects; --",
  '%',
  '_',
  '%%__',
  '\\',
  '\\%',
  'a\\',
  '$1',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the text is a specimen.
  '${1}',
  '{{7*7}}',
  '.*',
  '(',
  '[',
  'a|b',
  '"quoted"',
  '`id`',
  '$(id)',
  '<script>alert(1)</script>',
  '=1+1',
  'pg_sleep(5)',
  "'||pg_sleep(5)||'",
  'İstanbul ı',
  'ÄÖÜ ẞ',
  '😀 मराठी 漢字',
  'עברית right to left',
  'a'.repeat(100),
] as const
