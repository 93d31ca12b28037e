import type { AdminAnswer, Project } from '@rolecall/sdk/admin'
import { useQuery } from '@tanstack/react-query'
import { question, useApiQuery, useChange } from '../../api/queries.ts'
import { Copyable } from '../../components/copy.tsx'
import { Facts, Panel } from '../../components/page.tsx'
import { Empty } from '../../components/states.tsx'
import { useToast } from '../../components/toast.tsx'
import { Fields } from '../../forms/fields.tsx'
import { usePartForm } from '../../forms/use-form.ts'
import { useMayChange, useMayManage, useMayRead } from '../../shell/profile.ts'
import { Deliveries, useDeliveryFilters } from './deliveries.tsx'
import { GroupsPanel } from './groups-panel.tsx'
import { ProjectPage } from './project-page.tsx'
import { SaveForm } from './save-form.tsx'
import { serverChoices } from './server-choices.ts'

/** The OpenID Connect tab of a project: its settings, its groups, and the logout tokens that were sent to it. */
export const Page = () => (
  <ProjectPage>
    {(project) => (
      <div className="stack">
        <OpenIdConnect project={project} />
        {project.oidc.backchannelLogoutUri && <Logouts project={project} />}
        <GroupsPanel project={project} />
      </div>
    )}
  </ProjectPage>
)

function OpenIdConnect({ project }: { project: Project }) {
  const say = useToast()
  const form = usePartForm('updateProject', 'oidc', {
    initial: {
      ...project.oidc,
      serverId: project.oidc.serverId ?? '',
      backchannelLogoutUri: project.oidc.backchannelLogoutUri ?? '',
    },
    params: { id: project.id },
    onDone: () => say('The OpenID Connect settings are saved.'),
  })
  const servers = useQuery({ ...question('listServers'), enabled: useMayRead() })
  return (
    <Panel title="OpenID Connect" note="For apps with built-in OpenID Connect: wikis, forums, Grafana.">
      <div className="stack wide">
        {project.oidc.enabled && (
          <Facts
            of={[
              ['Issuer', <Copyable key="issuer" text={location.origin} />],
              [
                'Discovery',
                <Copyable key="discovery" text={`${location.origin}/.well-known/openid-configuration`} />,
              ],
              ['Client ID', <Copyable key="id" text={project.id} />],
              [
                'Client secret',
                project.oidc.publicClient ? 'None: PKCE instead' : 'The API key of the project',
              ],
            ]}
          />
        )}
        <SaveForm form={form} action="Save OpenID Connect" mayChange={useMayChange()}>
          <Fields
            form={form}
            keys={['enabled']}
            labels={{ enabled: 'The project is an OpenID Connect client' }}
            helps={{ enabled: 'Turn it on to change the options below.' }}
          />
          <fieldset className="stack" disabled={form.values.enabled !== true}>
            <legend className="unseen">Options</legend>
            <Fields
              form={form}
              keys={[
                'publicClient',
                'serverId',
                'postLogoutRedirectUris',
                'backchannelLogoutUri',
                'deviceFlow',
                'rolesInIdToken',
                'resources',
                'clientHosts',
              ]}
              labels={{
                publicClient: 'Public client',
                serverId: 'Server for sign-in',
                deviceFlow: 'Device flow',
                rolesInIdToken: 'Roles in the ID token',
                backchannelLogoutUri: 'Back-channel logout URI',
                clientHosts: 'Client hosts',
              }}
              helps={{
                publicClient:
                  'The app runs in a browser or on a device. It has no secret and always uses PKCE.',
                serverId: 'The project needs access to this server.',
                postLogoutRedirectUris:
                  'The addresses to which members return after sign-out. The rules for redirect URIs apply.',
                deviceFlow: 'Devices without a browser can sign in with a code.',
                rolesInIdToken:
                  'Also adds the roles to the ID token, where they can become outdated. The userinfo endpoint always returns the current roles.',
                resources: 'URIs of the APIs of this project, one per line. Clients request tokens for them.',
                clientHosts:
                  'Hosts of client ID metadata documents, one per line. Programs that they describe need no registration.',
              }}
              choices={{ serverId: serverChoices(servers.data?.data, project, project.oidc.serverId) }}
            />
          </fieldset>
        </SaveForm>
      </div>
    </Panel>
  )
}

type LogoutDelivery = AdminAnswer<'listLogoutDeliveries'>['data'][number]

/** The logout tokens that were sent to a client, so that it ends its own sessions. */
function Logouts({ project }: { project: Project }) {
  const narrowed = useDeliveryFilters({ state: 'logouts', cursor: 'after' })
  const resend = useChange('resendLogoutDelivery')
  const params = { id: project.id }
  return (
    <Deliveries<LogoutDelivery>
      title="Logouts sent"
      note="To the back-channel logout URI, from the last 30 days. Failed deliveries are retried for 24 hours."
      empty={<Empty title="No logouts sent">Logouts appear here when a session of the client ends.</Empty>}
      answer={useApiQuery('listLogoutDeliveries', { params, query: narrowed.query })}
      narrowed={narrowed}
      columns={[
        { header: 'Member', cell: ({ memberId }) => <Copyable text={memberId} /> },
        { header: 'To', cell: ({ uri }) => <code>{uri}</code> },
      ]}
      resend={{
        mayResend: useMayManage(project.id),
        error: resend.error,
        nameOf: ({ memberId }) => `the logout of ${memberId}`,
        send: ({ id }, onSuccess) => resend.mutate({ params: { ...params, deliveryId: id } }, { onSuccess }),
      }}
    />
  )
}
