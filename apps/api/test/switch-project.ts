import { updateProject } from '../src/features/projects/update-project.ts'
import type { World } from './service.ts'

/** Turns a project on or off, as an admin does. Returns false if the database could not be reached. */
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
