import type { MemberServers } from '@rolecall/sdk/admin'
import { useState } from 'react'
import { ask } from '../../api/admin.ts'
import { useChange } from '../../api/queries.ts'
import { leave } from '../../api/session.ts'
import { Button } from '../../components/button.tsx'
import { Danger } from '../../components/danger.tsx'
import { useToast } from '../../components/toast.tsx'
import { useMayChange, useProfile } from '../../shell/profile.ts'
import { nameOf } from './member-page.tsx'

/** A button that ends all sessions of a member, after a confirmation that shows their number. */
export function EndAllSessions({ member }: { member: MemberServers }) {
  const params = { id: member.memberId }
  const endAll = useChange('endMemberSessions')
  const isOwn = useProfile().id === member.memberId
  const mayChange = useMayChange()
  const say = useToast()
  const [isAsking, setAsking] = useState(false)
  if (!mayChange) return null
  return (
    <>
      <Button kind="danger" onClick={() => setAsking(true)}>
        End all sessions…
      </Button>
      <Danger
        action="End all sessions"
        question={`End all sessions of ${nameOf(member)}?`}
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        preview={async () =>
          (await ask('endMemberSessions', { params, query: { dryRun: true } })) ?? undefined
        }
        run={async () => {
          await endAll.mutateAsync({ params, query: {} })
          if (isOwn) return leave()
          say(`${nameOf(member)} is signed out everywhere.`)
        }}
      >
        {isOwn
          ? 'This is your own account. You will be signed out of the console too, and can sign in again.'
          : 'They can sign in again. To prevent that, block them.'}
      </Danger>
    </>
  )
}
