import type { Explanation, MemberServers } from '@rolecall/sdk/admin'
import { Link } from '@tanstack/react-router'
import { useApiQuery } from '../../api/queries.ts'
import { RoleChip } from '../../components/chip.tsx'
import { byId, Choice } from '../../components/choice.tsx'
import { Icon } from '../../components/icon.tsx'
import { countText } from '../../components/number.tsx'
import { Panel } from '../../components/page.tsx'
import { Empty, Notice, QueryResult } from '../../components/states.tsx'
import { Time } from '../../components/time.tsx'
import { RoleToggle } from '../../components/toggle-chip.tsx'
import { useFilters } from '../../components/use-filters.ts'
import { MemberPage, nameOf } from './member-page.tsx'

/** The tab that explains why a member can or cannot sign in to a project. */
export const Page = () => (
  <MemberPage unknown={(id) => <Why member={unknownAccount(id)} />}>
    {(member) => <Why member={member} />}
  </MemberPage>
)

/** Describes an account that the service has never seen. Its access can be explained nevertheless. */
const unknownAccount = (memberId: string): ExplainedMember => ({
  ...{ memberId, username: memberId, globalName: null, servers: [] },
})

/** The account to explain. */
type ExplainedMember = Pick<MemberServers, 'memberId' | 'username' | 'globalName' | 'servers'>

/**
 * Explains why the member can or cannot sign in to a project, and the effect of other roles. The trial changes nothing.
 */
function Why({ member }: { member: ExplainedMember }) {
  const [{ project = '', server = '', with: changed = '', absent = '' }, setFilters] = useFilters()
  const projects = useApiQuery('listProjects', { query: {} })
  const mainServer = member.servers.find(({ isMainServer }) => isMainServer)?.serverId
  const serverId = server || mainServer || member.servers[0]?.serverId
  return (
    <QueryResult of={projects}>
      {({ data }) => {
        const chosen = project || data[0]?.id
        if (chosen === undefined)
          return <Empty title="No projects yet">Create a project to see who can sign in to it.</Empty>
        return (
          <div className="stack">
            <div className="toolbar">
              <Choice
                label="Project"
                value={chosen}
                options={byId(data)}
                onChoose={(project) => setFilters({ project })}
              />
              {serverId !== undefined && (
                <Choice
                  label="Server"
                  value={serverId}
                  options={Object.fromEntries(member.servers.map((one) => [one.serverId, one.serverName]))}
                  onChoose={(server) => setFilters({ server, with: '' })}
                />
              )}
            </div>
            <Explained
              {...{ member, serverId }}
              projectId={chosen}
              changed={changed === '' ? [] : changed.split(',')}
              isAbsent={absent !== ''}
              onChange={(ids, isAbsent) => setFilters({ with: ids.join(','), absent: isAbsent ? '1' : '' })}
            />
          </div>
        )
      }}
    </QueryResult>
  )
}

interface ExplainedProps {
  readonly member: ExplainedMember
  readonly projectId: string
  readonly serverId: string | undefined
  /** The roles to invert in the trial. */
  readonly changed: readonly string[]
  readonly isAbsent: boolean
  readonly onChange: (changed: readonly string[], isAbsent: boolean) => void
}

function Explained({ member, projectId, serverId, changed, isAbsent, onChange }: ExplainedProps) {
  const currentRoleIds =
    member.servers.find((one) => one.serverId === serverId)?.roles.map(({ id }) => id) ?? []
  const isTrying = isAbsent || changed.length > 0
  const answer = useApiQuery('explain', {
    body: {
      memberId: member.memberId,
      projectId,
      ...(serverId !== undefined && { serverId }),
      ...(isTrying && {
        assume: {
          addRoleIds: changed.filter((id) => !currentRoleIds.includes(id)),
          removeRoleIds: changed.filter((id) => currentRoleIds.includes(id)),
          ...(isAbsent && { isMember: false }),
        },
      }),
    },
  })
  return (
    <div className="columns">
      <Panel title="Checks">
        <QueryResult of={answer}>
          {(explanation) => (
            <Steps
              of={explanation}
              name={nameOf(member)}
              isTrying={isTrying}
              fixes={fixLinks(member.memberId, projectId)}
            />
          )}
        </QueryResult>
      </Panel>
      {serverId !== undefined && (
        <Panel title="What if?" note="A simulation. Nothing changes.">
          <div className="stack">
            <label className="check">
              <input
                type="checkbox"
                checked={isAbsent}
                onChange={(event) => onChange(changed, event.target.checked)}
              />
              <span>They have left the server</span>
            </label>
            <WhatIfRoles
              {...{ serverId, currentRoleIds, changed }}
              onChange={(ids) => onChange(ids, isAbsent)}
            />
          </div>
        </Panel>
      )}
    </div>
  )
}

interface WhatIfProps {
  readonly serverId: string
  readonly currentRoleIds: readonly string[]
  readonly changed: readonly string[]
  readonly onChange: (changed: readonly string[]) => void
}

function WhatIfRoles({ serverId, currentRoleIds, changed, onChange }: WhatIfProps) {
  const roles = useApiQuery('listRoles', { params: { id: serverId } })
  return (
    // biome-ignore lint/a11y/useSemanticElements: they are no fields of a form.
    <div className="chips" role="group" aria-label="With these roles">
      {roles.data?.data.map(({ id, name, color }) => (
        <RoleToggle
          key={id}
          {...{ name, color }}
          isOn={currentRoleIds.includes(id) !== changed.includes(id)}
          onToggle={() =>
            onChange(changed.includes(id) ? changed.filter((one) => one !== id) : [...changed, id])
          }
        />
      ))}
    </div>
  )
}

interface FixLink {
  readonly to: string
  readonly text: string
}

/** The page of the console on which each check can be fixed, by the code of the check. */
const fixLinks = (memberId: string, projectId: string): Readonly<Record<string, FixLink>> => {
  const access = { to: '/access', text: 'Open project access' }
  const keys = { to: `/projects/${projectId}/keys`, text: 'Open API keys' }
  const hosts = { to: `/projects/${projectId}/proxy`, text: 'Open protected hosts' }
  return {
    'authorize.project_active': {
      to: `/projects/${projectId}/settings`,
      text: 'Open project settings',
    },
    'authorize.redirect_uri_allowed': {
      to: `/projects/${projectId}/redirects`,
      text: 'Open redirect URIs',
    },
    'authorize.server_accessible': access,
    'callback.access_kept': access,
    'key.known': keys,
    'oidc.client_authenticates': keys,
    'oidc.server_known': {
      to: `/projects/${projectId}/sign-in`,
      text: 'Open OpenID Connect settings',
    },
    'host.server_known': hosts,
    'host.any_of': hosts,
    'callback.not_blocked': { to: `/members/${memberId}`, text: 'Open the member’s block' },
  }
}

interface StepsProps {
  readonly of: Explanation
  readonly name: string
  readonly isTrying: boolean
  readonly fixes: Readonly<Record<string, FixLink>>
}

function Steps({ of, name, isTrying, fixes }: StepsProps) {
  const { roles, rolesAsOf, protectedHosts, openIdConnect } = of
  const shared = { name, isTrying, fixes }
  return (
    <div className="stack">
      <Conclusion of={of} {...shared} label="Checks" />
      <div className="chips">
        {roles.map(({ roleId, roleName, roleColor }) => (
          <RoleChip key={roleId} name={roleName} color={roleColor} />
        ))}
      </div>
      <span className="quiet">
        {rolesAsOf === null ? (
          'No roles: this member is not known in that server'
        ) : (
          <>
            Roles as of <Time at={rolesAsOf} />
          </>
        )}
      </span>
      {openIdConnect && (
        <section className="stack" aria-label="OpenID Connect">
          <h3>OpenID Connect</h3>
          <Conclusion of={openIdConnect} {...shared} label="Checks for OpenID Connect" />
        </section>
      )}
      {protectedHosts && (
        <section className="stack" aria-label="Protected hosts">
          <h3>Protected hosts</h3>
          <span className="quiet">{protectedHosts.hosts.join(', ')}</span>
          <Conclusion
            of={protectedHosts}
            {...shared}
            label="Checks for protected hosts"
            action="open these hosts"
          />
        </section>
      )}
    </div>
  )
}

interface ConclusionProps {
  readonly of: Pick<Explanation, 'outcome' | 'code' | 'steps'>
  readonly name: string
  readonly isTrying: boolean
  readonly fixes: Readonly<Record<string, FixLink>>
  readonly label: string
  /** The action that the checks permit, such as “open these hosts”. */
  readonly action?: string
}

interface ChecksProps {
  readonly label: string
  readonly steps: Explanation['steps']
  readonly fixes: Readonly<Record<string, FixLink>>
}

/** A list of checks. A failed check has a link to the page with its fix, or the service's sentence if there is none. */
const Checks = ({ label, steps, fixes }: ChecksProps) => (
  <ol className="checks" aria-label={label}>
    {steps.map(({ check, ok, detail, mend }) => {
      const fix = ok ? undefined : fixes[check]
      return (
        <li key={check} data-ok={ok}>
          <Icon name={ok ? 'check' : 'close'} />
          <span>
            <span className="unseen">{ok ? 'Passed: ' : 'Failed: '}</span>
            <bdi>{detail}</bdi>
            {mend && !fix && <span className="cell-sub plain">{mend}</span>}
            {fix && (
              <span className="cell-sub">
                <Link to={fix.to}>{fix.text}</Link>
              </span>
            )}
          </span>
        </li>
      )
    })}
  </ol>
)

/** Shows the outcome of one way to sign in: failed checks with their fixes first, and passed checks collapsed. */
function Conclusion({
  of: { outcome, code, steps },
  name,
  isTrying,
  fixes,
  label,
  action = 'sign in',
}: ConclusionProps) {
  const isAllowed = outcome === 'allowed'
  const failed = steps.filter(({ ok }) => !ok)
  const passed = steps.filter(({ ok }) => ok)
  const verb = isTrying ? (isAllowed ? 'could' : 'could not') : isAllowed ? 'can' : 'cannot'
  return (
    <>
      <Notice tone={isAllowed ? 'good' : 'bad'} title={`${name} ${verb} ${action}`}>
        {code && <code>{code}</code>}
      </Notice>
      {failed.length > 0 && <Checks label={label} steps={failed} fixes={fixes} />}
      {passed.length > 0 && (
        <details>
          <summary>{countText(passed.length, 'check')} passed</summary>
          <Checks label={`${label} that passed`} steps={passed} fixes={fixes} />
        </details>
      )}
    </>
  )
}
