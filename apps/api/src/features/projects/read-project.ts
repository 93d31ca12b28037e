import type { projects } from '@rolecall/contract'
import { ApiError } from '#platform/http/api-error'
import type { Deps } from '../../deps.ts'
import { type ListAccess, readProjectRecord } from './project-record.ts'
import { findSealedWebhookUrl } from './store.ts'
import { openWebhookUrl } from './webhook-url.ts'

/**
 * One project. A webhook address that was sealed under another key is reported here, on this record alone:
 * lists do not open secrets, and a change can set the address anew.
 */
export async function readProject(
  { db, config, listAccess }: Pick<Deps, 'db' | 'config'> & { listAccess: ListAccess },
  id: string,
): Promise<projects.Project> {
  const project = await readProjectRecord({ db, listAccess }, id)
  const sealed = (await findSealedWebhookUrl(db, id))?.sealed
  if (sealed && openWebhookUrl(config, id, sealed) === undefined) throw new ApiError('SECRET_UNREADABLE')
  return project
}
