import type { AccessMapping } from '@rolecall/sdk/admin'
import { useState } from 'react'
import { ask } from '../../api/admin.ts'
import { useChange } from '../../api/queries.ts'
import { Button } from '../../components/button.tsx'
import { Danger } from '../../components/danger.tsx'
import { Dialog, DialogActions } from '../../components/dialog.tsx'
import { Problem } from '../../components/states.tsx'
import { useToast } from '../../components/toast.tsx'

const operations = [
  ['READ', 'Members may log in', 'Their sessions count. Scopes count only with it.'],
  ['MANAGE_WEBHOOKS', 'Manages its inbound webhooks by its key', 'In one server it is enough.'],
  ['SEND_MESSAGES', 'Posts notices', 'Kept for the record: nothing is refused without it.'],
] as const
const scopes = [
  ['read_members', 'Reads the members with their roles'],
  ['check_permissions', 'Asks whether members hold roles'],
] as const

/** Which project and which server a cell is about. */
export interface Cell {
  readonly project: { readonly id: string; readonly name: string }
  readonly server: { readonly id: string; readonly name: string }
  readonly mapping: AccessMapping | undefined
}

/** What a project may do in a server, and the end of it. */
export function AccessEditor({ cell, onClose }: { cell: Cell; onClose: () => void }) {
  const { project, server, mapping } = cell
  const params = { projectId: project.id, serverId: server.id }
  const [given, setGiven] = useState({
    ...(mapping?.operations ?? { READ: true, SEND_MESSAGES: false, MANAGE_WEBHOOKS: false }),
  })
  const [scoped, setScoped] = useState<readonly ('read_members' | 'check_permissions')[]>(
    mapping?.scopes ?? ['read_members', 'check_permissions'],
  )
  const [isRevoking, setRevoking] = useState(false)
  const set = useChange('setAccess')
  const revoke = useChange('revokeAccess')
  const say = useToast()
  if (isRevoking) {
    return (
      <Danger
        action="Take it away"
        question={`Take ${server.name} away from “${project.name}”?`}
        isOpen
        onClose={onClose}
        name={project.name}
        preview={async () => {
          const answer = await ask('revokeAccess', { params, query: { dryRun: true } })
          return 'dryRun' in answer ? answer : undefined
        }}
        run={async () => {
          await revoke.mutateAsync({ params, query: {} })
          say(`“${project.name}” no longer uses ${server.name}.`)
        }}
      />
    )
  }
  const save = () =>
    set.mutate(
      { params, query: {}, body: { operations: given, scopes: [...scoped] } },
      {
        onSuccess: () => {
          say(`“${project.name}” in ${server.name} is saved.`)
          onClose()
        },
      },
    )
  return (
    <Dialog title={`“${project.name}” in ${server.name}`} isOpen onClose={onClose}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          if (!set.isPending) save()
        }}
      >
        <fieldset className="stack tight">
          <legend className="field-label">May do</legend>
          {operations.map(([operation, text, note]) => (
            <label key={operation} className="check">
              <input
                type="checkbox"
                checked={given[operation]}
                onChange={({ target }) => setGiven({ ...given, [operation]: target.checked })}
              />
              <span>
                {text}
                <span className="field-help">{note}</span>
              </span>
            </label>
          ))}
        </fieldset>
        <fieldset className="stack tight">
          <legend className="field-label">May ask</legend>
          {scopes.map(([scope, text]) => (
            <label key={scope} className="check">
              <input
                type="checkbox"
                checked={scoped.includes(scope)}
                onChange={({ target }) =>
                  setScoped(target.checked ? [...scoped, scope] : scoped.filter((one) => one !== scope))
                }
              />
              <span>
                {text} <code className="quiet">{scope}</code>
              </span>
            </label>
          ))}
        </fieldset>
        {set.error && <Problem error={set.error} />}
        <DialogActions>
          {mapping && (
            <Button kind="danger" onClick={() => setRevoking(true)}>
              Take it away…
            </Button>
          )}
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="main" type="submit" isBusy={set.isPending}>
            {mapping ? 'Save the access' : 'Give access'}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
