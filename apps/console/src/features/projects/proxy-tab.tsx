import type { Project } from '@rolecall/sdk/admin'
import { useQuery } from '@tanstack/react-query'
import { question } from '../../api/queries.ts'
import { Panel } from '../../components/page.tsx'
import { useToast } from '../../components/toast.tsx'
import { Fields } from '../../forms/fields.tsx'
import { usePartForm } from '../../forms/use-form.ts'
import { useMayChange, useMayRead } from '../../shell/profile.ts'
import { ProjectPage } from './project-page.tsx'
import { roleChoices } from './role-choices.tsx'
import { SaveForm } from './save-form.tsx'
import { serverChoices } from './server-choices.ts'

/** The tab for the hosts that a reverse proxy protects with a project, and the roles that they require. */
export const Page = () => <ProjectPage>{(project) => <ForwardAuth project={project} />}</ProjectPage>

function ForwardAuth({ project }: { project: Project }) {
  const say = useToast()
  const { hosts, anyOf, remoteUser, serverId: given } = project.forwardAuth
  const form = usePartForm('updateProject', 'forwardAuth', {
    initial: { hosts: [...hosts], serverId: given ?? '', anyOf: [...anyOf], remoteUser },
    params: { id: project.id },
    onDone: () => say('The protected hosts are saved.'),
  })
  const mayRead = useMayRead()
  const servers = useQuery({ ...question('listServers'), enabled: mayRead })
  const mainId = servers.data?.data.find(({ isMain }) => isMain)?.id
  const serverId = form.values.serverId || mainId
  const storedServerId = given ?? mainId
  const set: typeof form.set = (key, value) => {
    form.set(key, value)
    // The roles belong to the server.
    if (key === 'serverId') form.set('anyOf', (value || mainId) === storedServerId ? [...anyOf] : [])
  }
  const roles = useQuery({
    ...question('listRoles', { params: { id: serverId ?? '' } }),
    enabled: mayRead && serverId !== undefined,
  })
  const hasHosts = (form.values.hosts ?? []).some((host) => host.trim() !== '')
  return (
    <Panel title="Protected hosts" note="A reverse proxy checks each request to these hosts with Rolecall.">
      <SaveForm form={form} action="Save hosts" mayChange={useMayChange()}>
        <Fields
          form={form}
          keys={['hosts']}
          labels={{ hosts: 'Hosts' }}
          helps={{
            hosts:
              'One host per line, with the port if it is not the default. Add a host to change the options below.',
          }}
        />
        <fieldset className="stack" disabled={!hasHosts}>
          <legend className="unseen">Options</legend>
          <Fields
            form={{ ...form, set }}
            keys={['serverId', 'anyOf', 'remoteUser']}
            labels={{
              serverId: 'Server for sign-in',
              anyOf: 'Required roles (any of them)',
              remoteUser: 'Value of Remote-User',
            }}
            helps={{
              serverId: 'The project needs access to this server.',
              anyOf: 'Without required roles, every member has access.',
            }}
            choices={{
              serverId: serverChoices(servers.data?.data, project, given),
              anyOf: roleChoices({
                roles: roles.isPlaceholderData ? undefined : roles.data?.data,
                mayRead,
                chosen: [...(serverId === storedServerId ? anyOf : []), ...(form.values.anyOf ?? [])],
              }),
            }}
          />
        </fieldset>
      </SaveForm>
    </Panel>
  )
}
