import type { access } from '@rolecall/contract'
import { ApiError } from '#platform/http/api-error'
import type { Deps } from '../../deps.ts'
import { toMapping } from './access-mapping.ts'
import {
  type AccessFilters,
  countAccess,
  countTrail,
  findServer,
  listAccessRows,
  listTrail,
  projectExists,
  type TrailFilters,
} from './store.ts'

type DbDeps = Pick<Deps, 'db'>
type Page = { readonly limit: number; readonly offset: number }
type Mappings = Promise<{ data: access.AccessMapping[]; total: number }>

/** Every mapping that the filters let through, newest first. */
export async function listAccess({ db }: DbDeps, filters: AccessFilters, page: Page): Mappings {
  const rows = await listAccessRows(db, filters, page)
  return { data: rows.map(toMapping), total: await countAccess(db, filters) }
}

/** The servers of one project. */
export async function listServersOfProject(
  { db }: DbDeps,
  projectId: string,
  filters: Pick<AccessFilters, 'scope'>,
  page: Page,
): Mappings {
  if (!(await projectExists(db, projectId))) throw new ApiError('PROJECT_NOT_FOUND')
  return listAccess({ db }, { ...filters, projectIds: [projectId] }, page)
}

/** The projects of one server. */
export async function listProjectsOfServer(
  { db }: DbDeps,
  serverId: string,
  filters: Pick<AccessFilters, 'scope' | 'isActive'>,
  page: Page,
): Mappings {
  if (!(await findServer(db, serverId))) throw new ApiError('SERVER_NOT_FOUND')
  return listAccess({ db }, { ...filters, serverId }, page)
}

/** What was changed about access, newest first. */
export async function listAccessTrail({ db }: DbDeps, filters: TrailFilters, limit: number) {
  const rows = await listTrail(db, filters, limit)
  return {
    data: rows.map((row): access.AccessTrailEntry => ({ ...row, at: row.at.toISOString() })),
    total: await countTrail(db, filters),
  }
}
