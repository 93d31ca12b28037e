import type { AdminProfile } from '@rolecall/sdk/admin'
import { createContext, useContext } from 'react'

export const ProfileContext = createContext<AdminProfile | undefined>(undefined)

/** Returns the signed-in administrator. */
export function useProfile(): AdminProfile {
  const profile = useContext(ProfileContext)
  if (!profile) throw new Error('No administrator is signed in.')
  return profile
}

/**
 * True if the administrator may change everything. Auditors read everything and change nothing, so the console offers
 * them no changes.
 */
export const useMayChange = (): boolean => useProfile().isSystemAdmin

/**
 * True if the administrator may manage the project. Its owners may, too: its keys and addresses, and nothing of the
 * service.
 */
export function useMayManage(projectId: string): boolean {
  const { isSystemAdmin, ownedProjects } = useProfile()
  return isSystemAdmin || ownedProjects.some(({ id }) => id === projectId)
}
