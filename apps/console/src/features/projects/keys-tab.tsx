import type { Project, ProjectKey } from '@rolecall/sdk/admin'
import { useState } from 'react'
import { ask } from '../../api/admin.ts'
import { useApiQuery, useChange } from '../../api/queries.ts'
import { Button } from '../../components/button.tsx'
import { Status } from '../../components/chip.tsx'
import { Secret } from '../../components/copy.tsx'
import { Danger } from '../../components/danger.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { CloseButton, Dialog, DialogActions } from '../../components/dialog.tsx'
import { Num } from '../../components/number.tsx'
import { Panel } from '../../components/page.tsx'
import { Empty, Notice, Problem, QueryResult } from '../../components/states.tsx'
import { Time, timeFrom } from '../../components/time.tsx'
import { useToast } from '../../components/toast.tsx'
import { Fields } from '../../forms/fields.tsx'
import { useForm } from '../../forms/use-form.ts'
import { useMayManage } from '../../shell/profile.ts'
import { ProjectPage } from './project-page.tsx'
import { type KeyDialogProps, ReplaceKey } from './replace-key.tsx'

/** The tab for the API keys of a project. */
export const Page = () => <ProjectPage>{(project) => <Keys project={project} />}</ProjectPage>

const tones = { active: 'good', replaced: 'warn', revoked: 'bad', expired: 'none' } as const

/** Returns a sentence about the effect of revoking a key, by its last use. */
export function safetyOf(
  { status, lastUsedAt }: Pick<ProjectKey, 'status' | 'lastUsedAt'>,
  now: Date,
): string {
  if (status === 'revoked' || status === 'expired') return 'This key no longer works.'
  if (!lastUsedAt) return 'This key was never used, so no program depends on it.'
  const hours = (now.getTime() - new Date(lastUsedAt).getTime()) / 3_600_000
  const ago = timeFrom(new Date(lastUsedAt), now)
  return hours < 24
    ? `This key was used ${ago}. A program that still uses it will stop working.`
    : `This key was last used ${ago}.`
}

function Keys({ project }: { project: Project }) {
  const keys = useApiQuery('listApiKeys', { params: { id: project.id } })
  const mayChange = useMayManage(project.id)
  const restore = useChange('restoreApiKey')
  const revoke = useChange('revokeOneApiKey')
  const say = useToast()
  const [revoking, setRevoking] = useState<ProjectKey>()
  const [replacing, setReplacing] = useState<ProjectKey>()
  const [isAdding, setAdding] = useState(false)
  const [shown, setShown] = useState<readonly string[]>([])
  // Keeps the keys that are already shown, because they may not be copied yet.
  const show = (key: string) => setShown((before) => [key, ...before])
  const columns: readonly Column<ProjectKey>[] = [
    {
      header: 'Key',
      cell: ({ prefix, note }) => (
        <>
          <span className="mono">{prefix}…</span>
          {note && <span className="cell-sub">{note}</span>}
        </>
      ),
    },
    {
      header: 'State',
      cell: ({ status, expiresAt }) => (
        <>
          <Status tone={tones[status]}>{status}</Status>
          {expiresAt && status !== 'revoked' && (
            <span className="cell-sub">
              expires <Time at={expiresAt} />
            </span>
          )}
        </>
      ),
    },
    {
      header: 'Last used',
      cell: ({ lastUsedAt }) => <Time at={lastUsedAt} />,
      sortBy: ({ lastUsedAt }) => lastUsedAt,
    },
    {
      header: 'Uses',
      cell: ({ uses }) => <Num value={uses} short />,
      align: 'end',
      sortBy: ({ uses }) => uses,
    },
    {
      header: 'Created',
      cell: ({ createdAt }) => <Time at={createdAt} />,
      sortBy: ({ createdAt }) => createdAt,
    },
    {
      header: '',
      align: 'end',
      cell: (key) =>
        mayChange &&
        (key.status === 'active' || key.status === 'replaced') && (
          <Button
            size="small"
            kind="danger"
            onClick={() => setRevoking(key)}
            aria-label={`Revoke ${key.prefix}`}
          >
            Revoke
          </Button>
        ),
    },
  ]
  const newest = keys.data?.data.find(({ isNewest }) => isNewest)
  return (
    <div className="stack">
      {shown.map((key) => (
        <Notice key={key} tone="good" title="Copy the key now. It is not shown again.">
          <Secret text={key} label="API key" />
        </Notice>
      ))}
      {restore.error && <Problem error={restore.error} />}
      <Panel
        title="API keys"
        note="A backend identifies itself with one of these keys. Up to five can be valid at the same time."
        flush
        actions={
          mayChange &&
          newest && (
            <>
              {newest.status === 'revoked' && (
                <Button
                  isBusy={restore.isPending}
                  onClick={() =>
                    restore.mutate(
                      { params: { id: project.id }, body: { keyId: newest.id } },
                      { onSuccess: () => say(`${newest.prefix}… is restored.`) },
                    )
                  }
                >
                  Restore key {newest.prefix}
                </Button>
              )}
              <Button onClick={() => setReplacing(newest)}>Replace…</Button>
              <Button onClick={() => setAdding(true)}>Add key…</Button>
            </>
          )
        }
      >
        <QueryResult of={keys}>
          {({ data }) => (
            <DataTable
              label="API keys"
              columns={columns}
              rows={data}
              rowKey={({ id }) => id}
              empty={<Empty title="No keys">Add a key for the backend of the project.</Empty>}
            />
          )}
        </QueryResult>
      </Panel>
      {replacing && (
        <ReplaceKey project={project} old={replacing} onClose={() => setReplacing(undefined)} onKey={show} />
      )}
      <AddKey project={project} isOpen={isAdding} onClose={() => setAdding(false)} onKey={show} />
      {revoking && (
        <Danger
          action="Revoke key"
          question={`Revoke the key ${revoking.prefix}… of “${project.name}”?`}
          isOpen
          onClose={() => setRevoking(undefined)}
          preview={async () =>
            ask('revokeOneApiKey', {
              params: { id: project.id, keyId: revoking.id },
              query: { dryRun: true },
            })
          }
          run={async () => {
            await revoke.mutateAsync({ params: { id: project.id, keyId: revoking.id } })
            say(`${revoking.prefix}… is revoked.`)
          }}
          name={project.name}
        >
          {safetyOf(revoking, new Date())}
        </Danger>
      )}
    </div>
  )
}

const AddKey = (props: KeyDialogProps) => (
  <Dialog title="Add a key" isOpen={props.isOpen} onClose={props.onClose}>
    <AddForm {...props} />
  </Dialog>
)

function AddForm({ project, onClose, onKey }: KeyDialogProps) {
  const form = useForm('addApiKey', {
    initial: {},
    params: { id: project.id },
    onDone: ({ apiKey }) => {
      onKey(apiKey)
      onClose()
    },
  })
  return (
    <form className="stack" onSubmit={form.submit}>
      <p>Existing keys stay valid. The new key is shown once.</p>
      <Fields form={form} keys={['note', 'expiresAt']} />
      {form.failure && <Problem error={form.failure} />}
      <DialogActions isBusy={form.isBusy}>
        <CloseButton />
        <Button kind="main" type="submit" isBusy={form.isBusy}>
          Add key
        </Button>
      </DialogActions>
    </form>
  )
}
