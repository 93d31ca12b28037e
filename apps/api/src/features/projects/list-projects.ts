import type { projects } from '@rolecall/contract'
import type { Deps } from '../../deps.ts'
import { type ListAccess, withAccess } from './project-record.ts'
import { countProjects, listProjectRows, type ProjectFilters } from './store.ts'

/** Projects that the filters let through, newest first. Three statements, however many there are. */
export async function listProjects(
  { db, listAccess }: Pick<Deps, 'db'> & { listAccess: ListAccess },
  { limit, offset, ...filters }: ProjectFilters & { limit: number; offset: number },
): Promise<{ data: projects.Project[]; total: number }> {
  const rows = await listProjectRows(db, filters, { limit, offset })
  return { data: await withAccess({ db, listAccess }, rows), total: await countProjects(db, filters) }
}
