import { type AccessMapping, type Project, RolecallError } from '@rolecall/sdk/admin'
import { useState } from 'react'
import { ask } from '../../api/admin.ts'
import { Bulk, type Change } from '../../components/bulk.tsx'
import { Button } from '../../components/button.tsx'
import { byId, Choice } from '../../components/choice.tsx'
import { countText } from '../../components/number.tsx'
import { SelectedBar } from '../../components/selected-bar.tsx'
import type { Selection } from '../../components/selection.ts'
import { isBuiltIn } from './access-text.ts'

interface Server {
  readonly id: string
  readonly name: string
  readonly isMain: boolean
}

interface BulkAccessProps {
  readonly selection: Selection<Project>
  readonly servers: readonly Server[]
  readonly mappingOf: (project: Project, server: Server) => AccessMapping | undefined
}

interface Asked {
  readonly verb: 'Give' | 'Take away'
  readonly server: Server
  readonly changes: readonly Change[]
  /** The number of selected projects that stay as they are. */
  readonly unchanged: number
}

/** Buttons that give the selected projects access to a server, or revoke it. */
export function BulkAccess({ selection, servers, mappingOf }: BulkAccessProps) {
  const [serverId, setServerId] = useState('')
  const [asked, setAsked] = useState<Asked>()
  const server = servers.find(({ id }) => id === serverId) ?? servers[0]
  if (!server) return null
  const open = (verb: Asked['verb'], concerned: readonly Project[], changeOf: typeof givesTo) =>
    setAsked({
      verb,
      server,
      changes: concerned.map((project) => changeOf(project, server)),
      unchanged: selection.rows.length - concerned.length,
    })
  const without = selection.rows.filter((one) => !mappingOf(one, server) && !isBuiltIn(one, server))
  const mapped = selection.rows.filter((one) => mappingOf(one, server))
  return (
    <>
      <SelectedBar selection={selection}>
        <Choice
          label="Server of the selected projects"
          value={server.id}
          options={byId(servers)}
          onChoose={setServerId}
        />
        <Button size="small" disabled={without.length === 0} onClick={() => open('Give', without, givesTo)}>
          Grant access…
        </Button>
        <Button
          size="small"
          kind="danger"
          disabled={mapped.length === 0}
          onClick={() => open('Take away', mapped, takesFrom)}
        >
          Revoke access…
        </Button>
      </SelectedBar>
      {asked && (
        <Question
          {...asked}
          onClose={() => {
            setAsked(undefined)
            selection.clear()
          }}
        />
      )}
    </>
  )
}

function Question({ verb, server, changes, unchanged, onClose }: Asked & { onClose: () => void }) {
  const count = countText(changes.length, 'project')
  const isGiving = verb === 'Give'
  return (
    <Bulk
      action={isGiving ? `Grant access to ${count}` : `Revoke the access of ${count}`}
      question={
        isGiving
          ? `Grant ${count} access to ${server.name}?`
          : `Revoke the access of ${count} to ${server.name}?`
      }
      done={isGiving ? `${count} can use ${server.name}.` : `${count} can no longer use ${server.name}.`}
      changes={changes}
      onClose={onClose}
    >
      {unchanged > 0 &&
        `${countText(unchanged, 'selected project')} ${isGiving ? 'can already use it' : 'cannot use it now'}.`}
    </Bulk>
  )
}

const givesTo = ({ id, name }: Project, server: Server): Change => {
  const params = { projectId: id, serverId: server.id }
  return {
    key: id,
    name,
    effect: 'Members can sign in. The project can read members and check their roles.',
    preview: async () => dryRunOf(await ask('setAccess', { params, query: { dryRun: true }, body: {} })),
    run: () => ask('setAccess', { params, query: {}, body: {} }),
  }
}

const takesFrom = ({ id, name }: Project, server: Server): Change => {
  const params = { projectId: id, serverId: server.id }
  return {
    key: id,
    name,
    effect: `Loses ${server.name}.`,
    preview: async () => dryRunOf(await ask('revokeAccess', { params, query: { dryRun: true } })),
    run: () => ask('revokeAccess', { params, query: {} }).catch(expectRevoked),
  }
}

/** Ignores the error that the access was already revoked, and throws every other error. */
function expectRevoked(error: unknown): void {
  if (!(error instanceof RolecallError) || error.code !== 'ACCESS_NOT_FOUND') throw error
}

const dryRunOf = <Answer extends object>(answer: Answer) =>
  'dryRun' in answer ? (answer as Extract<Answer, { dryRun: true }>) : undefined
