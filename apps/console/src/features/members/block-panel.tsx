import type { MemberServers } from '@rolecall/sdk/admin'
import { useState } from 'react'
import { useChange } from '../../api/queries.ts'
import { Button } from '../../components/button.tsx'
import { CloseButton, Dialog, DialogActions } from '../../components/dialog.tsx'
import { Facts, Panel } from '../../components/page.tsx'
import { Problem } from '../../components/states.tsx'
import { Time } from '../../components/time.tsx'
import { useToast } from '../../components/toast.tsx'
import { Fields } from '../../forms/fields.tsx'
import { useForm } from '../../forms/use-form.ts'
import { useMayChange } from '../../shell/profile.ts'
import { EndAllSessions } from './end-all-sessions.tsx'
import { nameOf } from './member-page.tsx'

/** Shows whether a member may sign in, with the actions to block them and to end their sessions. */
export function BlockPanel({ member }: { member: MemberServers }) {
  const { memberId, block } = member
  const mayChange = useMayChange()
  const say = useToast()
  const unblock = useChange('unblockMember')
  const [isAsking, setAsking] = useState(false)
  return (
    <Panel
      title="Access"
      actions={
        mayChange && (
          <>
            <EndAllSessions member={member} />
            <Button kind="danger" onClick={() => setAsking(true)}>
              {block ? 'Change block…' : 'Block…'}
            </Button>
            {block && (
              <Button
                isBusy={unblock.isPending}
                onClick={() =>
                  unblock.mutate(
                    { params: { id: memberId } },
                    { onSuccess: () => say(`${nameOf(member)} can sign in again.`) },
                  )
                }
              >
                Unblock
              </Button>
            )}
          </>
        )
      }
    >
      {unblock.error && <Problem error={unblock.error} />}
      {block ? (
        <Facts
          of={[
            ['Reason', block.reason ?? 'Erased'],
            ['Since', <Time key="since" at={block.since} show="both" />],
            ['Until', <Time key="until" at={block.until} never="unblocked" show="both" />],
          ]}
        />
      ) : (
        <p className="quiet">
          Not blocked. A blocked member is signed out everywhere, cannot sign in, and does not see the reason.
        </p>
      )}
      <Dialog title={`Block ${nameOf(member)}?`} isOpen={isAsking} onClose={() => setAsking(false)}>
        <BlockForm member={member} onClose={() => setAsking(false)} />
      </Dialog>
    </Panel>
  )
}

function BlockForm({ member, onClose }: { member: MemberServers; onClose: () => void }) {
  const say = useToast()
  const { block, memberId } = member
  const form = useForm('blockMember', {
    initial: { reason: block?.reason ?? '', until: block?.until ?? '' },
    params: { id: memberId },
    onDone: () => {
      say(`${nameOf(member)} is blocked.`)
      onClose()
    },
  })
  return (
    <form className="stack" onSubmit={form.submit}>
      <p>All their sessions end immediately, on every site.</p>
      <Fields form={form} keys={['reason', 'until']} />
      {form.failure && <Problem error={form.failure} />}
      <DialogActions isBusy={form.isBusy}>
        <CloseButton />
        <Button kind="destroy" type="submit" isBusy={form.isBusy}>
          Block member
        </Button>
      </DialogActions>
    </form>
  )
}
