import type { Project } from '@rolecall/sdk/admin'
import { useRef, useState } from 'react'
import { useChange } from '../../api/queries.ts'
import { Button } from '../../components/button.tsx'
import { Copyable } from '../../components/copy.tsx'
import { Danger } from '../../components/danger.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Panel } from '../../components/page.tsx'
import { Empty, Problem } from '../../components/states.tsx'
import { useToast } from '../../components/toast.tsx'
import { Fields } from '../../forms/fields.tsx'
import { useForm } from '../../forms/use-form.ts'
import { useMayManage } from '../../shell/profile.ts'
import { ProjectPage } from './project-page.tsx'

/** The tab for the redirect URIs of a project. */
export const Page = () => <ProjectPage>{(project) => <RedirectUris project={project} />}</ProjectPage>

function RedirectUris({ project }: { project: Project }) {
  const mayChange = useMayManage(project.id)
  const [removing, setRemoving] = useState<string>()
  const columns: readonly Column<string>[] = [
    { header: 'URI', cell: (uri) => <Copyable text={uri} /> },
    {
      header: '',
      align: 'end',
      cell: (uri) =>
        mayChange && (
          <Button size="small" kind="danger" onClick={() => setRemoving(uri)} aria-label={`Remove ${uri}`}>
            Remove
          </Button>
        ),
    },
  ]
  return (
    <Panel
      title="Redirect URIs"
      note="The addresses to which members return after sign-in. They must match exactly."
    >
      <div className="stack">
        <DataTable
          label="Redirect URIs"
          columns={columns}
          rows={project.redirectUris}
          rowKey={(uri) => uri}
          empty={
            <Empty title="No redirect URIs">Sign-ins cannot return to this project until you add one.</Empty>
          }
        />
        {mayChange && <AddRedirectUri project={project} />}
      </div>
      {removing !== undefined && (
        <RemoveRedirectUri project={project} uri={removing} onClose={() => setRemoving(undefined)} />
      )}
    </Panel>
  )
}

function AddRedirectUri({ project }: { project: Project }) {
  const say = useToast()
  const box = useRef<HTMLFormElement>(null)
  const form = useForm('addRedirectUri', {
    initial: {},
    params: { id: project.id },
    isCleared: true,
    onDone: () => {
      const { uri = '' } = form.values
      say(
        project.redirectUris.includes(uri)
          ? `The project already has this redirect URI: ${uri}`
          : `Redirect URI added: ${uri}`,
      )
      // The user can type the next URI.
      box.current?.querySelector('input')?.focus()
    },
  })
  return (
    <form className="stack" onSubmit={form.submit} ref={box}>
      <Fields
        form={form}
        keys={['uri']}
        labels={{ uri: 'New redirect URI' }}
        helps={{
          uri: 'For example, https://crew.example/auth/callback. Plain http works only for localhost, 127.0.0.1, and [::1].',
        }}
      />
      {form.failure && <Problem error={form.failure} />}
      <div>
        <Button kind="main" type="submit" isBusy={form.isBusy}>
          Add URI
        </Button>
      </div>
    </form>
  )
}

interface RemoveProps {
  readonly project: Project
  readonly uri: string
  readonly onClose: () => void
}

function RemoveRedirectUri({ project, uri, onClose }: RemoveProps) {
  const remove = useChange('removeRedirectUri')
  const say = useToast()
  return (
    <Danger
      action="Remove URI"
      question={`Remove a redirect URI from “${project.name}”?`}
      isOpen
      onClose={onClose}
      preview={async () => undefined}
      run={async () => {
        await remove.mutateAsync({ params: { id: project.id }, query: { uri } })
        say('Redirect URI removed.')
      }}
    >
      Sign-ins can no longer return to <code>{uri}</code>. Members who are signed in stay signed in.
    </Danger>
  )
}
