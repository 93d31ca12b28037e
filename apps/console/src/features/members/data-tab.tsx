import type { MemberServers } from '@rolecall/sdk/admin'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { admin } from '../../api/admin.ts'
import { useChange } from '../../api/queries.ts'
import { Button, ButtonAnchor } from '../../components/button.tsx'
import { Danger } from '../../components/danger.tsx'
import { Panel } from '../../components/page.tsx'
import { useToast } from '../../components/toast.tsx'
import { useMayChange } from '../../shell/profile.ts'
import { MemberPage, nameOf } from './member-page.tsx'

export const Page = () => <MemberPage>{(member) => <PersonalData member={member} />}</MemberPage>

function PersonalData({ member }: { member: MemberServers }) {
  const mayChange = useMayChange()
  return (
    <div className="stack">
      <Panel title="What is kept">
        <div className="row apart">
          <span>
            Everything that is kept about the person, as one JSON file. That it was taken is in the audit log.
            Members find their own at <code>/account</code>.
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
  const navigate = useNavigate()
  const say = useToast()
  const [isAsking, setAsking] = useState(false)
  return (
    <Panel title="Erase" kind="danger">
      <div className="row apart">
        <span>
          Deletes what is kept about the person, and takes their values out of the audit log, which stays
          verifiable. Who is still in a server comes back as new.
        </span>
        <Button kind="danger" onClick={() => setAsking(true)}>
          Erase…
        </Button>
      </div>
      <Danger
        action="Erase the person"
        question={`Erase everything about ${nameOf(member)}?`}
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        name={username}
        preview={async () => undefined}
        run={async () => {
          await erase.mutateAsync({ params: { id: memberId } })
          await navigate({ to: '/members' })
          say(`${username} is erased.`)
        }}
      >
        This cannot be taken back. Their sessions end at once; a block in force stays, without its reason.
      </Danger>
    </Panel>
  )
}
