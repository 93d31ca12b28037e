import type { AccessMapping } from '@rolecall/sdk/admin'
import { useState } from 'react'
import { ask } from '../../api/admin.ts'
import { useChange } from '../../api/queries.ts'
import { Button } from '../../components/button.tsx'
import { Danger } from '../../components/danger.tsx'
import { CloseButton, Dialog, DialogActions } from '../../components/dialog.tsx'
import { Notice, Problem } from '../../components/states.tsx'
import { useToast } from '../../components/toast.tsx'
import { areEqual, followStored } from '../../forms/follow-stored.ts'
import { doScopesCount, isBuiltIn } from './access-text.ts'

const operations = [
  ['READ', 'Members can sign in', 'The project sees their sessions and roles.'],
  [
    'MANAGE_WEBHOOKS',
    'Manages its inbound webhooks with its API key',
    'A grant in any one server is enough.',
  ],
  [
    'SEND_MESSAGES',
    'Posts a notice when this access changes',
    'Notices go to the notice address of the project.',
  ],
] as const
const scopes = [
  ['read_members', 'Read members and their roles'],
  ['check_permissions', 'Check whether members hold roles'],
] as const

type Operation = (typeof operations)[number][0]
type Scope = (typeof scopes)[number][0]
/** The checkboxes of the form. */
type Grant = Readonly<Record<Operation | Scope, boolean>>

/** Returns the checkboxes for the stored access, or those for new access, with the defaults of the service. */
const grantOf = (mapping: AccessMapping | undefined): Grant => ({
  ...(mapping?.operations ?? { READ: true, SEND_MESSAGES: false, MANAGE_WEBHOOKS: false }),
  read_members: mapping?.scopes.includes('read_members') ?? true,
  check_permissions: mapping?.scopes.includes('check_permissions') ?? true,
})

const scopesOf = (grant: Grant): Scope[] => scopes.map(([scope]) => scope).filter((scope) => grant[scope])

const defaults = grantOf(undefined)

/**
 * Returns the body that changes the stored access. The service keeps what it omits. If the access has been revoked
 * meanwhile, the service grants its defaults, so the body also contains everything that differs from them.
 */
function changeOf(stored: Grant, grant: Grant) {
  const isSent = (name: Operation) => grant[name] !== stored[name] || grant[name] !== defaults[name]
  const changed = operations.map(([name]) => name).filter(isSent)
  return {
    ...(changed.length > 0 && {
      operations: Object.fromEntries(changed.map((name) => [name, grant[name]])),
    }),
    ...([stored, defaults].some((other) => !areEqual(scopesOf(grant), scopesOf(other))) && {
      scopes: scopesOf(grant),
    }),
  }
}

/** A cell of the access matrix: a project and a server. */
export interface Cell {
  readonly project: { readonly id: string; readonly name: string; readonly isInternal: boolean }
  readonly server: { readonly id: string; readonly name: string; readonly isMain: boolean }
  readonly mapping: AccessMapping | undefined
}

interface EditorProps {
  readonly cell: Cell
  readonly onClose: () => void
}

/** Changes or revokes the access of a project to a server. */
export function AccessEditor({ cell, onClose }: EditorProps) {
  const [isRevoking, setRevoking] = useState(false)
  if (isRevoking) return <RevokeAccess cell={cell} onClose={onClose} />
  const { project, server } = cell
  return (
    <Dialog title={`“${project.name}” in ${server.name}`} isOpen onClose={onClose}>
      <AccessForm cell={cell} onClose={onClose} onRevoke={() => setRevoking(true)} />
    </Dialog>
  )
}

function AccessForm({ cell, onClose, onRevoke }: EditorProps & { readonly onRevoke: () => void }) {
  const { project, server, mapping } = cell
  const isInternalHere = isBuiltIn(project, server)
  const stored = grantOf(mapping)
  const [followed, setFollowed] = useState(stored)
  const [given, setGiven] = useState(stored)
  // If the access was revoked, the form keeps what it showed.
  if (mapping && !areEqual(followed, stored)) {
    setFollowed(stored)
    setGiven(followStored(given, followed, stored))
  }
  const [hadAccess] = useState(mapping !== undefined)
  const set = useChange('setAccess')
  const say = useToast()
  const canAsk = doScopesCount(given, isInternalHere)
  // While scopes have no effect, the form shows none, and saves none.
  const shown = canAsk ? given : { ...given, read_members: false, check_permissions: false }
  const save = () =>
    set.mutate(
      {
        params: { projectId: project.id, serverId: server.id },
        query: {},
        body: changeOf(stored, shown),
      },
      {
        onSuccess: () => {
          say(`“${project.name}” in ${server.name}: access saved.`)
          onClose()
        },
      },
    )
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault()
        if (!set.isPending) save()
      }}
    >
      {isInternalHere && (
        <p>
          This project is internal: members can always sign in to it in the main server. Until you grant it
          access here, it also has every permission below.
        </p>
      )}
      <fieldset className="stack tight">
        <legend className="field-label">Operations</legend>
        {operations.map(([operation, text, note]) => (
          <label key={operation} className="check">
            <input
              type="checkbox"
              checked={shown[operation]}
              onChange={({ target }) => setGiven({ ...given, [operation]: target.checked })}
            />
            <span>
              {text}
              <span className="field-help">
                {operation === 'READ' && isInternalHere
                  ? 'Applies when the project is no longer internal.'
                  : note}
              </span>
            </span>
          </label>
        ))}
      </fieldset>
      <fieldset className="stack tight" disabled={!canAsk}>
        <legend className="field-label">Scopes</legend>
        {scopes.map(([scope, text]) => (
          <label key={scope} className="check">
            <input
              type="checkbox"
              checked={shown[scope]}
              onChange={({ target }) => setGiven({ ...given, [scope]: target.checked })}
            />
            <span>
              {text} <code className="quiet">{scope}</code>
            </span>
          </label>
        ))}
      </fieldset>
      <div role="status">
        {hadAccess && !mapping && (
          <Notice tone="warn" title="This access was revoked">
            It was revoked while this dialog was open. To give the project access again, check the
            permissions, and select “Grant access”.
          </Notice>
        )}
        {!canAsk && (
          <p className="quiet">Scopes take effect only if members can sign in, so none will be saved.</p>
        )}
      </div>
      {set.error && <Problem error={set.error} />}
      <DialogActions isBusy={set.isPending}>
        {mapping && (
          <Button kind="danger" onClick={onRevoke} disabled={set.isPending}>
            Revoke access…
          </Button>
        )}
        <CloseButton />
        <Button kind="main" type="submit" isBusy={set.isPending}>
          {mapping ? 'Save access' : 'Grant access'}
        </Button>
      </DialogActions>
    </form>
  )
}

function RevokeAccess({ cell: { project, server }, onClose }: EditorProps) {
  const params = { projectId: project.id, serverId: server.id }
  const revoke = useChange('revokeAccess')
  const say = useToast()
  return (
    <Danger
      action="Revoke access"
      question={`Revoke the access of “${project.name}” to ${server.name}?`}
      isOpen
      onClose={onClose}
      name={project.name}
      preview={async () => {
        const answer = await ask('revokeAccess', { params, query: { dryRun: true } })
        return 'dryRun' in answer ? answer : undefined
      }}
      run={async () => {
        await revoke.mutateAsync({ params, query: {} })
        say(`“${project.name}” no longer has access to ${server.name}.`)
      }}
    />
  )
}
