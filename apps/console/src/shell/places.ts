import type { AdminProfile } from '@rolecall/sdk/admin'
import type { IconName } from '../components/icon.tsx'

/** An entry of the side bar: its address, and the key that opens it after `g`. */
export interface Place {
  readonly to: string
  readonly text: string
  readonly icon: IconName
  readonly key: string
  /** At the foot of the side bar. */
  readonly isAside?: boolean
  /** Also visible to owners of a project who administer nothing else. */
  readonly isForOwners?: boolean
}

/** The side bar, from its top; a new page gets a line here. */
const places: readonly Place[] = [
  { to: '/overview', text: 'Overview', icon: 'overview', key: 'o' },
  { to: '/projects', text: 'Projects', icon: 'projects', key: 'p', isForOwners: true },
  { to: '/members', text: 'Members', icon: 'members', key: 'm' },
  { to: '/servers', text: 'Servers', icon: 'servers', key: 's' },
  { to: '/access', text: 'Access', icon: 'access', key: 'a' },
  { to: '/webhooks', text: 'Inbound webhooks', icon: 'webhooks', key: 'w' },
  { to: '/audit', text: 'Audit', icon: 'audit', key: 'l' },
  { to: '/monitoring', text: 'Monitoring', icon: 'monitoring', key: 'i' },
  { to: '/settings', text: 'Settings', icon: 'settings', key: 't', isAside: true },
  { to: '/about', text: 'About', icon: 'about', key: 'b', isAside: true, isForOwners: true },
  { to: '/profile', text: 'Your profile', icon: 'members', key: 'y', isAside: true, isForOwners: true },
]

export const placesOf = ({ isSystemAdmin, isAuditor }: AdminProfile): readonly Place[] =>
  isSystemAdmin || isAuditor ? places : places.filter(({ isForOwners }) => isForOwners)

/** Returns the entry of a path if the administrator may not open it. */
export const closedPlace = (profile: AdminProfile, path: string): Place | undefined =>
  places.find((place) => `${path}/`.startsWith(`${place.to}/`) && !placesOf(profile).includes(place))
