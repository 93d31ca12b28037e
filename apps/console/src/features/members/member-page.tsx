import type { MemberServers } from '@rolecall/sdk/admin'
import { Link, useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useApiQuery } from '../../api/queries.ts'
import { Status } from '../../components/chip.tsx'
import { Page, Tabs } from '../../components/page.tsx'
import { Portrait } from '../../components/portrait.tsx'
import { Empty, QueryResult } from '../../components/states.tsx'

const tabs = [
  ['', 'Overview'],
  ['/sessions', 'Sessions'],
  ['/why', 'Why'],
  ['/activity', 'Activity'],
  ['/data', 'Data'],
] as const

interface MemberPageProps {
  readonly children: (member: MemberServers) => ReactNode
  /** The content for an account that was never in a server and has never tried to sign in. */
  readonly unknown?: (id: string) => ReactNode
}

/** The frame that all tabs of a member share, with the content of one tab. */
export function MemberPage({ children, unknown = unknownAccount }: MemberPageProps) {
  const { id = '' } = useParams({ strict: false })
  const member = useApiQuery('listMemberServers', { params: { chat_user_id: id } })
  const { data } = member
  if (member.error?.code === 'MEMBER_NOT_FOUND') {
    return (
      <Page title="Unknown account" up={{ to: '/members', text: 'Members' }} id={id}>
        {unknown(id)}
      </Page>
    )
  }
  const title = data ? nameOf(data) : 'Member'
  return (
    <Page
      title={title}
      guide="administering"
      up={{ to: '/members', text: 'Members' }}
      lead={data && data.username !== title && <bdi>{data.username}</bdi>}
      id={id}
      picture={data && <Portrait of={data.avatar} name={title} size="large" />}
      actions={data?.blocked && <Status tone="bad">Blocked</Status>}
    >
      <Tabs label={title} tabs={tabs.map(([path, text]) => ({ to: `/members/${id}${path}`, text }))} />
      <QueryResult of={member}>{children}</QueryResult>
    </Page>
  )
}

const unknownAccount = (id: string) => (
  <Empty
    title="Rolecall has no data about this account"
    action={
      <Link to="/members/$id/why" params={{ id }}>
        Why can’t this account sign in?
      </Link>
    }
  >
    It was in none of your servers and never tried to sign in, or its data was erased.
  </Empty>
)

/** Returns the name of a member as pages show it: the display name, or else the username. */
export const nameOf = ({ globalName, username }: Pick<MemberServers, 'globalName' | 'username'>) =>
  globalName ?? username
