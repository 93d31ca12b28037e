import { updateProject } from '../src/features/projects/update-project.ts'
import type { World } from './service.ts'

/** Switches a project on or off, as an admin's request does; false when the database could not be reached. */
export async function setProjectActive(
  { service: { deps } }: World,
  projectId: string,
  isActive: boolean,
): Promise<boolean> {
  try {
    await updateProject(deps, {}, projectId, { isActive })
    await deps.answers.confirm()
    return true
  } catch {
    return false
  }
}
