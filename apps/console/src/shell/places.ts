import type { AdminProfile } from '@rolecall/sdk/admin'
import type { IconName } from '../components/icon.tsx'

/** An entry of the side bar, with its address, and the key that opens it after `g`. */
export interface Place {
  readonly to: string
  readonly text: string
  readonly icon: IconName
  readonly key: string
  /** True for an entry at the bottom of the side bar. */
  readonly isAside?: boolean
  /** True if owners of projects, who administer nothing else, see the entry, too. */
  readonly isForOwners?: boolean
}

/** The entries of the side bar, from its top. Add a line here for a new page. */
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

/** Returns the entries of the side bar that an administrator sees. */
export const placesOf = ({ isSystemAdmin, isAuditor }: AdminProfile): readonly Place[] =>
  isSystemAdmin || isAuditor ? places : places.filter(({ isForOwners }) => isForOwners)

/** Returns the entry for a path that the administrator may not open. Undefined if they may open it. */
export const closedPlace = (profile: AdminProfile, path: string): Place | undefined =>
  places.find((place) => `${path}/`.startsWith(`${place.to}/`) && !placesOf(profile).includes(place))
