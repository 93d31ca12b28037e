import { createHash } from 'node:crypto'
import { maxLogoSide, type Upload } from '@rolecall/contract'
import type { By } from '#audit/event'
import { ApiError } from '#platform/http/api-error'
import { imageProblem } from '#platform/images/image-problem'
import type { Deps } from '../../deps.ts'
import { changeProject } from './change-project.ts'
import { deleteLogo, findLogoDigest, storeLogo } from './logo-store.ts'
import { noteChange } from './store.ts'

type ProjectDeps = Pick<Deps, 'db' | 'audit'>

/**
 * Stores the logo of a project. The audit entry contains the hash of the image, and not its bytes. The same image again
 * changes nothing.
 *
 * @throws IMAGE_INVALID, PROJECT_NOT_FOUND
 */
export async function setLogo(
  deps: ProjectDeps,
  by: By,
  projectId: string,
  { type, bytes }: Upload,
): Promise<void> {
  const problem = await imageProblem({ type, bytes }, maxLogoSide)
  if (problem !== undefined) throw new ApiError('IMAGE_INVALID', { detail: problem })
  const digest = createHash('sha256').update(bytes).digest('base64url')
  await changeProject(deps, projectId, async (tx, { name }, record) => {
    const before = await findLogoDigest(tx, projectId)
    if (before?.digest === digest && before.type === type) return
    await storeLogo(tx, projectId, { type, bytes, digest })
    await noteChange(tx, projectId)
    const changes = { logo: { before: before ?? null, after: { type, digest } } }
    await record({
      ...by,
      action: 'project.update',
      summary: `The logo of project ${name} was set.`,
      changes,
    })
  })
}

/**
 * Removes the logo of a project. Does nothing if the project has none.
 *
 * @throws PROJECT_NOT_FOUND
 */
export const removeLogo = (deps: ProjectDeps, by: By, projectId: string): Promise<void> =>
  changeProject(deps, projectId, async (tx, { name }, record) => {
    const before = await findLogoDigest(tx, projectId)
    if (!before) return
    await deleteLogo(tx, projectId)
    await noteChange(tx, projectId)
    const changes = { logo: { before, after: null } }
    await record({
      ...by,
      action: 'project.update',
      summary: `The logo of project ${name} was removed.`,
      changes,
    })
  })
