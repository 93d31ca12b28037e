import type { Project } from '@rolecall/sdk/admin'
import { useState } from 'react'
import { ask } from '../../api/admin.ts'
import { useChange } from '../../api/queries.ts'
import { Button } from '../../components/button.tsx'
import { Danger } from '../../components/danger.tsx'
import { Panel } from '../../components/page.tsx'
import { Problem } from '../../components/states.tsx'
import { useToast } from '../../components/toast.tsx'
import { useNavigateFromHere } from '../../components/use-navigate-from-here.ts'
import { Fields } from '../../forms/fields.tsx'
import { useForm } from '../../forms/use-form.ts'
import { useMayChange, useMayManage } from '../../shell/profile.ts'
import { BrandingPanel } from './branding-panel.tsx'
import { OwnersPanel } from './owners-panel.tsx'
import { ProjectPage } from './project-page.tsx'
import { SaveForm } from './save-form.tsx'

/** The tab for the name, the appearance, and the owners of a project, and for deactivating or deleting it. */
export const Page = () => <ProjectPage>{(project) => <Settings project={project} />}</ProjectPage>

function Settings({ project }: { project: Project }) {
  const mayChange = useMayChange()
  const mayManage = useMayManage(project.id)
  const say = useToast()
  const description = project.description ?? ''
  const form = useForm('updateProject', {
    // An owner may change only the description, so their form has no other field.
    initial:
      mayManage && !mayChange
        ? { description }
        : { name: project.name, description, isInternal: project.isInternal },
    params: { id: project.id },
    onDone: () => say('The project is saved.'),
  })
  return (
    <div className="stack">
      <Panel title="Project">
        <SaveForm form={form} action="Save project" mayChange={mayManage}>
          <Fields
            form={form}
            keys={'name' in form.values ? ['name', 'description', 'isInternal'] : ['description']}
            labels={{ isInternal: 'Internal: always uses the main server' }}
            helps={{ name: 'Members see it when they sign in.' }}
          />
        </SaveForm>
      </Panel>
      <BrandingPanel project={project} />
      <OwnersPanel project={project} />
      {mayChange && <DangerZone project={project} />}
    </div>
  )
}

function DangerZone({ project }: { project: Project }) {
  const { id, name, isActive } = project
  const navigate = useNavigateFromHere()
  const say = useToast()
  const update = useChange('updateProject')
  const remove = useChange('deleteProject')
  const [asked, setAsked] = useState<'deactivate' | 'delete'>()
  const close = () => setAsked(undefined)
  return (
    <Panel title="Deactivate or delete" kind="danger">
      <div className="stack">
        <div className="row apart">
          <span>
            {isActive
              ? 'Members cannot sign in to an inactive project, and it cannot validate sessions. You can activate it again.'
              : 'This project is inactive. Members cannot sign in to it.'}
          </span>
          {isActive ? (
            <Button kind="danger" onClick={() => setAsked('deactivate')}>
              Deactivate…
            </Button>
          ) : (
            <Button
              isBusy={update.isPending}
              onClick={() =>
                update.mutate(
                  { params: { id }, body: { isActive: true } },
                  { onSuccess: () => say(`“${name}” is active.`) },
                )
              }
            >
              Activate
            </Button>
          )}
        </div>
        {update.error && <Problem error={update.error} />}
        <div className="row apart">
          <span>Its keys and sessions end immediately. Its audit log entries remain.</span>
          <Button kind="danger" onClick={() => setAsked('delete')}>
            Delete…
          </Button>
        </div>
      </div>
      <Danger
        action="Deactivate project"
        question={`Deactivate “${name}”?`}
        isOpen={asked === 'deactivate'}
        onClose={close}
        name={name}
        preview={async () => {
          const answer = await ask('updateProject', {
            params: { id },
            query: { dryRun: true },
            body: { isActive: false },
          })
          return 'dryRun' in answer ? answer : undefined
        }}
        run={async () => {
          await update.mutateAsync({ params: { id }, body: { isActive: false } })
          say(`“${name}” is inactive.`)
        }}
      />
      <Danger
        action="Delete project"
        question={`Delete “${name}”?`}
        isOpen={asked === 'delete'}
        onClose={close}
        name={name}
        preview={async () => ask('deleteProject', { params: { id }, query: { dryRun: true } })}
        run={async () => {
          await remove.mutateAsync({ params: { id }, query: {} })
          say(`“${name}” is deleted.`)
          // Input for a deleted project cannot be saved, so there is no question about it.
          await navigate({ to: '/projects', ignoreBlocker: true })
        }}
      />
    </Panel>
  )
}
