import type { AdminAnswer, ChatServer, Project } from '@rolecall/sdk/admin'
import { useQuery } from '@tanstack/react-query'
import { question, useAnswer, useChange } from '../../api/queries.ts'
import { RoleChip } from '../../components/chip.tsx'
import { Copyable } from '../../components/copy.tsx'
import { Facts, Panel } from '../../components/page.tsx'
import { Empty, Problem } from '../../components/states.tsx'
import { useToast } from '../../components/toast.tsx'
import { type Choice, Fields } from '../../forms/fields.tsx'
import { SaveButtons } from '../../forms/save-buttons.tsx'
import { type Form, usePartForm } from '../../forms/use-form.ts'
import { useMayChange, useMayManage } from '../../shell/profile.ts'
import { Deliveries, useDeliveryFilters } from './deliveries.tsx'
import { GroupsPanel } from './groups-panel.tsx'
import { ProjectPage } from './project-page.tsx'

export const Page = () => (
  <ProjectPage>
    {(project) => (
      <div className="stack" key={project.updatedAt}>
        <OpenIdConnect project={project} />
        {project.oidc.backchannelLogoutUri && <Logouts project={project} />}
        <ForwardAuth project={project} />
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
    onDone: () => say('OpenID Connect is saved.'),
  })
  const servers = useAnswer('listServers')
  return (
    <Panel title="OpenID Connect" note="For apps that speak it by themselves: wikis, forums, Grafana.">
      <div className="stack wide">
        {project.oidc.enabled && (
          <Facts
            of={[
              ['Issuer', <Copyable key="issuer" text={location.origin} />],
              [
                'Discovery',
                <Copyable key="discovery" text={`${location.origin}/.well-known/openid-configuration`} />,
              ],
              ['Client id', <Copyable key="id" text={project.id} />],
              [
                'Client secret',
                project.oidc.publicClient ? 'None: PKCE instead' : 'The API key of the project',
              ],
            ]}
          />
        )}
        <form className="stack" onSubmit={form.submit}>
          <Fields
            form={form}
            keys={[
              'enabled',
              'publicClient',
              'serverId',
              'postLogoutRedirectUris',
              'backchannelLogoutUri',
              'deviceFlow',
              'rolesInIdToken',
              'resources',
            ]}
            labels={{
              enabled: 'The project is a client of OpenID Connect',
              publicClient: 'Public client',
              serverId: 'Server whose members may log in',
              deviceFlow: 'Device flow',
              rolesInIdToken: 'Roles in the ID token',
              backchannelLogoutUri: 'Back-channel logout URI',
            }}
            helps={{
              publicClient: 'It runs in a browser or an app: no secret, and PKCE always.',
              serverId: 'One whose access the project has.',
              postLogoutRedirectUris: 'Where logging out may lead. By the rules of redirect URIs.',
              deviceFlow: 'Devices without a browser may log in by a code.',
              rolesInIdToken: 'Also there, where they age; userinfo is live.',
              resources: 'URIs of the APIs of this project, one per line. Clients request tokens for them.',
            }}
            choices={{ serverId: serverChoices(servers.data?.data) }}
          />
          <SaveRow form={form} action="Save OpenID Connect" />
        </form>
      </div>
    </Panel>
  )
}

type LogoutDelivery = AdminAnswer<'listLogoutDeliveries'>['data'][number]

/** What a client was told of sessions that ended, so that it ends its own. */
function Logouts({ project }: { project: Project }) {
  const narrowed = useDeliveryFilters({ state: 'logouts', cursor: 'after' })
  const resend = useChange('resendLogoutDelivery')
  const params = { id: project.id }
  return (
    <Deliveries<LogoutDelivery>
      title="Logouts sent"
      note="To the back-channel logout URI, of the last 30 days. Each is tried for 24 hours."
      empty={<Empty title="Nothing was sent">Logouts appear here once a session of the client ends.</Empty>}
      answer={useAnswer('listLogoutDeliveries', { params, query: narrowed.query })}
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

function ForwardAuth({ project }: { project: Project }) {
  const say = useToast()
  const { hosts, anyOf, remoteUser, serverId: given } = project.forwardAuth
  const form = usePartForm('updateProject', 'forwardAuth', {
    initial: { hosts: [...hosts], serverId: given ?? '', anyOf: [...anyOf], remoteUser },
    params: { id: project.id },
    onDone: () => say('The protected hosts are saved.'),
  })
  const servers = useAnswer('listServers')
  const serverId = form.values.serverId || servers.data?.data.find(({ isMain }) => isMain)?.id
  const roles = useQuery({
    ...question('listRoles', { params: { id: serverId ?? '' } }),
    enabled: serverId !== undefined,
  })
  return (
    <Panel title="Protected hosts" note="A reverse proxy asks about each request to them.">
      <form className="stack" onSubmit={form.submit}>
        <Fields
          form={form}
          keys={['hosts', 'serverId', 'anyOf', 'remoteUser']}
          labels={{
            hosts: 'Hosts',
            serverId: 'Server whose members are let in',
            anyOf: 'Roles, one of which is needed',
            remoteUser: 'Remote-User holds',
          }}
          helps={{
            hosts: 'One a line, with a port where it is not the scheme’s own.',
            serverId: 'One whose access the project has.',
            anyOf: 'None: any member is let in.',
          }}
          choices={{
            serverId: serverChoices(servers.data?.data),
            ...(roles.data && {
              anyOf: roles.data.data.map(({ id, name, color }) => ({
                id,
                text: <RoleChip name={name} color={color} />,
              })),
            }),
          }}
        />
        <SaveRow form={form} action="Save the hosts" />
      </form>
    </Panel>
  )
}

/** Null is the main one, whichever that is. */
const serverChoices = (servers: readonly ChatServer[] = []): readonly Choice[] => [
  { id: '', text: 'The main server' },
  ...servers.map(({ id, name }) => ({ id, text: name })),
]

function SaveRow<Values extends object>({ form, action }: { form: Form<Values>; action: string }) {
  const mayChange = useMayChange()
  return (
    <>
      {form.failure && <Problem error={form.failure} />}
      {mayChange && <SaveButtons form={form} label={action} />}
    </>
  )
}
