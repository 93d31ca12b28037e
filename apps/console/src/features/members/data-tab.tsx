import type { MemberServers } from '@rolecall/sdk/admin'
import { useState } from 'react'
import { admin } from '../../api/admin.ts'
import { useChange } from '../../api/queries.ts'
import { Button, ButtonAnchor } from '../../components/button.tsx'
import { Danger } from '../../components/danger.tsx'
import { Panel } from '../../components/page.tsx'
import { useToast } from '../../components/toast.tsx'
import { useNavigateFromHere } from '../../components/use-navigate-from-here.ts'
import { useMayChange } from '../../shell/profile.ts'
import { MemberPage, nameOf } from './member-page.tsx'

/** The tab with which an administrator downloads or erases all stored data about a member. */
export const Page = () => <MemberPage>{(member) => <PersonalData member={member} />}</MemberPage>

function PersonalData({ member }: { member: MemberServers }) {
  const mayChange = useMayChange()
  return (
    <div className="stack">
      <Panel title="Personal data">
        <div className="row apart">
          <span>
            All stored data about this person, as one JSON file. The audit log records the download. Members
            can download their own data at <code>/account</code>.
          </span>
          <ButtonAnchor href={admin.address('getMemberData', { params: { id: member.memberId } })} download>
            Download
          </ButtonAnchor>
        </div>
      </Panel>
      {mayChange && <Erase member={member} />}
    </div>
  )
}

function Erase({ member }: { member: MemberServers }) {
  const { memberId, username } = member
  const erase = useChange('eraseMember')
  const navigate = useNavigateFromHere()
  const say = useToast()
  const [isAsking, setAsking] = useState(false)
  return (
    <Panel title="Erase" kind="danger">
      <div className="row apart">
        <span>
          Deletes all stored data about this person and removes their values from the audit log, which stays
          verifiable. If they are still in a server, the next sync adds them again.
        </span>
        <Button kind="danger" onClick={() => setAsking(true)}>
          Erase…
        </Button>
      </div>
      <Danger
        action="Erase data"
        question={`Erase all data about ${nameOf(member)}?`}
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        name={username}
        preview={async () => undefined}
        run={async () => {
          await erase.mutateAsync({ params: { id: memberId } })
          await navigate({ to: '/members' })
          say(`${username} was erased.`)
        }}
      >
        This cannot be undone. Their sessions end immediately. An active block stays, without its reason.
      </Danger>
    </Panel>
  )
}
