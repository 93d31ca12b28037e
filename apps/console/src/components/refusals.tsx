import type { RefusedLogin } from '@rolecall/sdk/admin'
import { Link } from '@tanstack/react-router'

/** Says in a few words why a sign-in was refused. */
export const refusalText: Readonly<Record<RefusedLogin['code'], string>> = {
  not_a_member: 'Not a member of the server',
  blocked: 'Blocked by an admin',
  no_access: 'Project lost its access',
  declined: 'Did not agree to share',
  role_lacking: 'Lacks a required role',
}

/** Leads to the explanation of a refusal, with its project and server selected. */
export const whyLink = ({ memberId, projectId, serverId }: Omit<RefusedLogin, 'at'>): string =>
  `/members/${memberId}/why?${new URLSearchParams({ project: projectId, ...(serverId && { server: serverId }) })}`

/** Returns the latest refusal of each member, in the order of the list. */
export const latestOfEach = (refused: readonly RefusedLogin[]): RefusedLogin[] =>
  refused.filter(({ memberId }, i) => refused.findIndex((other) => other.memberId === memberId) === i)

export const WhyLink = ({ refused }: { refused: RefusedLogin }) => (
  <Link to={whyLink(refused)}>
    Why<span className="unseen"> {refused.displayName ?? refused.username} was refused</span>
  </Link>
)
