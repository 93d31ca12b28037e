import type { Project } from '@rolecall/sdk/admin'
import { Link } from '@tanstack/react-router'
import { Chip } from '../../components/chip.tsx'
import { Copyable } from '../../components/copy.tsx'
import { DataTable } from '../../components/data-table.tsx'
import { Facts, Panel } from '../../components/page.tsx'
import { Empty } from '../../components/states.tsx'
import { Time } from '../../components/time.tsx'
import { useMayRead } from '../../shell/profile.ts'
import { ProjectPage } from './project-page.tsx'
import { UsagePanel } from './usage-panel.tsx'

/** The first tab of a project: its facts, its API key, its servers, and its usage. */
export const Page = () => <ProjectPage>{(project) => <Overview project={project} />}</ProjectPage>

function Overview({ project }: { project: Project }) {
  const mayRead = useMayRead()
  return (
    <div className="stack">
      <div className="columns">
        <Panel title="Project">
          <Facts
            of={[
              ['Client ID', <Copyable key="id" text={project.id} />],
              [
                'Kind',
                project.isInternal ? 'Internal: always uses the main server' : 'Uses the servers below',
              ],
              ['Redirect URIs', `${project.redirectUris.length}`],
              ['OpenID Connect', project.oidc.enabled ? 'On' : 'Off'],
              ['Protected hosts', project.forwardAuth.hosts.join(', ') || 'None'],
              ['Created', <Time key="created" at={project.createdAt} show="full" />],
              ['Changed', <Time key="updated" at={project.updatedAt} />],
            ]}
          />
        </Panel>
        <Panel
          title="API key"
          actions={
            <Link to="/projects/$id/keys" params={{ id: project.id }}>
              All keys
            </Link>
          }
        >
          <Facts
            of={[
              ['Begins with', <span key="prefix" className="mono">{`${project.apiKey.prefix}…`}</span>],
              ['State', project.apiKey.status],
              ['Last used', <Time key="used" at={project.apiKey.lastUsedAt} />],
              ['Created', <Time key="made" at={project.apiKey.createdAt} />],
            ]}
          />
        </Panel>
      </div>
      <Panel
        title="Servers"
        note="Members of these servers can sign in. The scopes say what the project can read about them."
        flush
        actions={
          mayRead && (
            <Link to="/access" search={{ name: project.name }}>
              Change access
            </Link>
          )
        }
      >
        <DataTable
          label="Servers"
          rows={project.serverAccess}
          rowKey={({ serverId }) => serverId}
          columns={[
            {
              header: 'Server',
              cell: ({ serverName, isMainServer }) => (
                <>
                  <bdi>{serverName}</bdi>
                  {isMainServer && ' (main)'}
                </>
              ),
            },
            {
              header: 'Scopes',
              cell: ({ scopes }) => (
                <span className="chips">
                  {scopes.map((scope) => (
                    <Chip key={scope}>{scope}</Chip>
                  ))}
                </span>
              ),
            },
            { header: 'Since', cell: ({ createdAt }) => <Time at={createdAt} />, align: 'end' },
          ]}
          empty={
            project.isInternal ? (
              <Empty title="Main server (internal)">
                Members of the main server can sign in. An internal project needs no access of its own.
              </Empty>
            ) : (
              <Empty title="No servers">
                Members cannot sign in until a System Admin grants the project access to a server on the
                Access page.
              </Empty>
            )
          }
        />
      </Panel>
      {mayRead && <UsagePanel projectId={project.id} />}
    </div>
  )
}
