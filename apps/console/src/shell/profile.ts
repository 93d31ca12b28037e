import type { AdminProfile } from '@rolecall/sdk/admin'
import { createContext, useContext } from 'react'

export const ProfileContext = createContext<AdminProfile | undefined>(undefined)

/** Who is logged in. */
export function useProfile(): AdminProfile {
  const profile = useContext(ProfileContext)
  if (!profile) throw new Error('Nobody is logged in.')
  return profile
}

/** Auditors read everything and change nothing: what changes something is not offered to them. */
export const useMayChange = (): boolean => useProfile().isSystemAdmin

/** Owners of a project manage it, too: its keys and addresses, and nothing of the service. */
export function useMayManage(projectId: string): boolean {
  const { isSystemAdmin, ownedProjects } = useProfile()
  return isSystemAdmin || ownedProjects.some(({ id }) => id === projectId)
}
