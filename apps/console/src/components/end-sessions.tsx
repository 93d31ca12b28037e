import { RolecallError } from '@rolecall/sdk/admin'
import { useState } from 'react'
import { ask } from '../api/admin.ts'
import { Bulk, type Change } from './bulk.tsx'
import { Button } from './button.tsx'
import { countText } from './number.tsx'
import { SelectedBar } from './selected-bar.tsx'
import type { Selection } from './selection.ts'

/** The description of a session in a list. */
interface Described {
  readonly id: string
  readonly memberId: string
  /** The person or the place of the session. */
  readonly name: string
  /** The effect of ending the session. */
  readonly effect: string
}

interface EndSessionsProps<Row> {
  readonly selection: Selection<Row>
  readonly describe: (row: Row) => Described
}

/** Ends the selected sessions, after it has listed them. */
export function EndSessions<Row>({ selection, describe }: EndSessionsProps<Row>) {
  // The changes stay as they were confirmed, even if the list below is refetched in the meantime.
  const [changes, setChanges] = useState<readonly Change[]>()
  const count = countText(changes?.length ?? selection.rows.length, 'session')
  return (
    <>
      <SelectedBar selection={selection}>
        <Button
          size="small"
          kind="danger"
          onClick={() => setChanges(selection.rows.map((row) => changeOf(describe(row))))}
        >
          End {count}…
        </Button>
      </SelectedBar>
      {changes && (
        <Bulk
          action={`End ${count}`}
          question={`End ${count}?`}
          done={`${count} ended.`}
          changes={changes}
          onClose={() => {
            setChanges(undefined)
            selection.clear()
          }}
        >
          They can sign in again. To prevent that, block them.
        </Bulk>
      )}
    </>
  )
}

const changeOf = ({ id, memberId, name, effect }: Described): Change => ({
  key: id,
  name,
  effect,
  run: () => ask('revokeMemberSession', { params: { id: memberId, sessionId: id } }).catch(expectEnded),
})

/** Accepts that a session has already ended. */
function expectEnded(error: unknown): void {
  if (!(error instanceof RolecallError) || error.code !== 'SESSION_NOT_FOUND') throw error
}
