import type { AdminProfile } from '@rolecall/sdk/admin'
import { createContext, useContext } from 'react'

/** The signed-in administrator, for the components below. Undefined outside of a signed-in console. */
export const ProfileContext = createContext<AdminProfile | undefined>(undefined)

/** Returns the signed-in administrator. */
export function useProfile(): AdminProfile {
  const profile = useContext(ProfileContext)
  if (!profile) throw new Error('No administrator is signed in.')
  return profile
}

/**
 * Returns true if the administrator may change everything. Auditors may only read, so the console offers them no
 * changes.
 */
export const useMayChange = (): boolean => useProfile().isSystemAdmin

/** Returns true if the administrator may read the administration of the whole service. Owners of projects may not. */
export function useMayRead(): boolean {
  const { isSystemAdmin, isAuditor } = useProfile()
  return isSystemAdmin || isAuditor
}

/**
 * Returns true if the administrator may manage the keys and the addresses of a project, as a System Admin or as one of
 * its owners.
 */
export function useMayManage(projectId: string): boolean {
  const { isSystemAdmin, ownedProjects } = useProfile()
  return isSystemAdmin || ownedProjects.some(({ id }) => id === projectId)
}
