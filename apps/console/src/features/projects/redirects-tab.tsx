import type { Project } from '@rolecall/sdk/admin'
import { Panel } from '../../components/page.tsx'
import { Problem } from '../../components/states.tsx'
import { useToast } from '../../components/toast.tsx'
import { SaveButtons } from '../../forms/save-buttons.tsx'
import { useForm } from '../../forms/use-form.ts'
import { useMayManage } from '../../shell/profile.ts'
import { ProjectPage } from './project-page.tsx'
import { RedirectUris, urisOf } from './redirect-uris.tsx'

export const Page = () => (
  <ProjectPage>{(project) => <Redirects key={project.redirectUris.join()} project={project} />}</ProjectPage>
)

function Redirects({ project }: { project: Project }) {
  const mayChange = useMayManage(project.id)
  const say = useToast()
  const form = useForm('setRedirectUris', {
    initial: { redirectUri: project.redirectUris.join(',') },
    params: { id: project.id },
    onDone: () => say('The redirect URIs are saved.'),
  })
  return (
    <Panel
      title="Redirect URIs"
      note="Where a login may lead back to. Each is compared character for character."
    >
      <form className="stack" onSubmit={form.submit}>
        <RedirectUris
          value={form.values.redirectUri ?? ''}
          onChange={(text) => form.set('redirectUri', text)}
          refused={form.problemOf('redirectUri')}
        />
        {form.failure && <Problem error={form.failure} />}
        {mayChange && (
          <SaveButtons form={form} label={`Save ${urisOf(form.values.redirectUri ?? '').length} addresses`} />
        )}
      </form>
    </Panel>
  )
}
