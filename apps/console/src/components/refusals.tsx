import type { RefusedLogin } from '@rolecall/sdk/admin'
import { Link } from '@tanstack/react-router'

/** Short reasons of refused sign-ins, by code. */
export const refusalText: Readonly<Record<RefusedLogin['code'], string>> = {
  not_a_member: 'Not a member of the server',
  blocked: 'Blocked by an admin',
  no_access: 'Project lost access',
  declined: 'Declined to share data',
  role_lacking: 'Lacks a required role',
}

/** Returns the path of the page that explains a refusal, with the project and the server selected. */
export const whyLink = ({ memberId, projectId, serverId }: Omit<RefusedLogin, 'at'>): string =>
  `/members/${memberId}/why?${new URLSearchParams({ project: projectId, ...(serverId && { server: serverId }) })}`

/** Returns only the latest refusal of each member, in the order of the list. */
export const latestOfEach = (refused: readonly RefusedLogin[]): RefusedLogin[] =>
  refused.filter(({ memberId }, i) => refused.findIndex((other) => other.memberId === memberId) === i)

/** A link to the explanation of a refused sign-in. */
export const WhyLink = ({ refused }: { refused: RefusedLogin }) => (
  <Link to={whyLink(refused)}>
    Why
    <span className="unseen">
      {' '}
      <bdi>{refused.displayName ?? refused.username}</bdi> was refused
    </span>
  </Link>
)
