import type { Explanation, MemberServers } from '@rolecall/sdk/admin'
import { Link } from '@tanstack/react-router'
import { useAnswer } from '../../api/queries.ts'
import { RoleChip } from '../../components/chip.tsx'
import { byId, Choice } from '../../components/choice.tsx'
import { Icon } from '../../components/icon.tsx'
import { countText } from '../../components/number.tsx'
import { Panel } from '../../components/page.tsx'
import { Answer, Empty, Notice } from '../../components/states.tsx'
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
const unknownAccount = (memberId: string): Asked => ({
  ...{ memberId, username: memberId, globalName: null, servers: [] },
})

/** The account to explain. */
type Asked = Pick<MemberServers, 'memberId' | 'username' | 'globalName' | 'servers'>

/**
 * Explains why the member can or cannot sign in to a project, and the effect of other roles. The trial changes nothing.
 */
function Why({ member }: { member: Asked }) {
  const [{ project = '', server = '', with: changed = '', absent = '' }, setFilters] = useFilters()
  const projects = useAnswer('listProjects', { query: {} })
  const mainServer = member.servers.find(({ isMainServer }) => isMainServer)?.serverId
  const serverId = server || mainServer || member.servers[0]?.serverId
  return (
    <Answer of={projects}>
      {({ data }) => {
        const chosen = project || data[0]?.id
        if (chosen === undefined)
          return <Empty title="No projects yet">Create a project to check the access of members to it.</Empty>
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
    </Answer>
  )
}

interface ExplainedProps {
  readonly member: Asked
  readonly projectId: string
  readonly serverId: string | undefined
  /** The roles to invert in the trial. */
  readonly changed: readonly string[]
  readonly isAbsent: boolean
  readonly onChange: (changed: readonly string[], isAbsent: boolean) => void
}

function Explained({ member, projectId, serverId, changed, isAbsent, onChange }: ExplainedProps) {
  const held = member.servers.find((one) => one.serverId === serverId)?.roles.map(({ id }) => id) ?? []
  const isTrying = isAbsent || changed.length > 0
  const answer = useAnswer('explain', {
    body: {
      memberId: member.memberId,
      projectId,
      ...(serverId !== undefined && { serverId }),
      ...(isTrying && {
        assume: {
          addRoleIds: changed.filter((id) => !held.includes(id)),
          removeRoleIds: changed.filter((id) => held.includes(id)),
          ...(isAbsent && { isMember: false }),
        },
      }),
    },
  })
  return (
    <div className="columns">
      <Panel title="Checks, in order">
        <Answer of={answer}>
          {(explanation) => (
            <Steps
              of={explanation}
              name={nameOf(member)}
              isTrying={isTrying}
              places={mendPlaces(member.memberId, projectId)}
            />
          )}
        </Answer>
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
            <WhatIfRoles {...{ serverId, held, changed }} onChange={(ids) => onChange(ids, isAbsent)} />
          </div>
        </Panel>
      )}
    </div>
  )
}

interface WhatIfProps {
  readonly serverId: string
  readonly held: readonly string[]
  readonly changed: readonly string[]
  readonly onChange: (changed: readonly string[]) => void
}

function WhatIfRoles({ serverId, held, changed, onChange }: WhatIfProps) {
  const roles = useAnswer('listRoles', { params: { id: serverId } })
  return (
    // biome-ignore lint/a11y/useSemanticElements: they are no fields of a form.
    <div className="chips" role="group" aria-label="With these roles">
      {roles.data?.data.map(({ id, name, color }) => (
        <RoleToggle
          key={id}
          {...{ name, color }}
          isOn={held.includes(id) !== changed.includes(id)}
          onToggle={() =>
            onChange(changed.includes(id) ? changed.filter((one) => one !== id) : [...changed, id])
          }
        />
      ))}
    </div>
  )
}

interface MendPlace {
  readonly to: string
  readonly text: string
}

/** The page of the console on which each check can be fixed, by the code of the check. */
const mendPlaces = (memberId: string, projectId: string): Readonly<Record<string, MendPlace>> => {
  const access = { to: '/access', text: 'Open the access of projects' }
  const keys = { to: `/projects/${projectId}/keys`, text: 'Open the keys of the project' }
  const hosts = { to: `/projects/${projectId}/proxy`, text: 'Open the protected hosts of the project' }
  return {
    'authorize.project_active': {
      to: `/projects/${projectId}/settings`,
      text: 'Open the settings of the project',
    },
    'authorize.redirect_uri_allowed': {
      to: `/projects/${projectId}/redirects`,
      text: 'Open the redirect URIs of the project',
    },
    'authorize.server_accessible': access,
    'callback.access_kept': access,
    'key.known': keys,
    'oidc.client_authenticates': keys,
    'oidc.server_known': {
      to: `/projects/${projectId}/sign-in`,
      text: 'Open the OpenID Connect settings of the project',
    },
    'host.server_known': hosts,
    'host.any_of': hosts,
    'callback.not_blocked': { to: `/members/${memberId}`, text: 'Open the block of the member' },
  }
}

interface StepsProps {
  readonly of: Explanation
  readonly name: string
  readonly isTrying: boolean
  readonly places: Readonly<Record<string, MendPlace>>
}

function Steps({ of, name, isTrying, places }: StepsProps) {
  const { roles, rolesAsOf, protectedHosts, openIdConnect } = of
  const said = { name, isTrying, places }
  return (
    <div className="stack">
      <Conclusion of={of} {...said} label="Checks" />
      <div className="chips">
        {roles.map(({ roleId, roleName, roleColor }) => (
          <RoleChip key={roleId} name={roleName} color={roleColor} />
        ))}
      </div>
      <span className="quiet">
        Roles as of <Time at={rolesAsOf} never="never: this member is unknown in that server" />
      </span>
      {openIdConnect && (
        <section className="stack" aria-label="OpenID Connect">
          <h3>OpenID Connect</h3>
          <Conclusion of={openIdConnect} {...said} label="Checks for OpenID Connect" />
        </section>
      )}
      {protectedHosts && (
        <section className="stack" aria-label="Protected hosts">
          <h3>Protected hosts</h3>
          <span className="quiet">{protectedHosts.hosts.join(', ')}</span>
          <Conclusion of={protectedHosts} {...said} label="Checks for protected hosts" />
        </section>
      )}
    </div>
  )
}

interface ConclusionProps {
  readonly of: Pick<Explanation, 'outcome' | 'code' | 'steps'>
  readonly name: string
  readonly isTrying: boolean
  readonly places: Readonly<Record<string, MendPlace>>
  readonly label: string
}

interface ChecksProps {
  readonly label: string
  readonly steps: Explanation['steps']
  readonly places: Readonly<Record<string, MendPlace>>
}

/** A list of checks. A failed check has a link to the page with its fix, or the service's sentence if there is none. */
const Checks = ({ label, steps, places }: ChecksProps) => (
  <ol className="checks" aria-label={label}>
    {steps.map(({ check, ok, detail, mend }) => {
      const place = ok ? undefined : places[check]
      return (
        <li key={check} data-ok={ok}>
          <Icon name={ok ? 'check' : 'close'} />
          <span>
            <span className="unseen">{ok ? 'Passed: ' : 'Failed: '}</span>
            <bdi>{detail}</bdi>
            {mend && !place && <span className="cell-sub plain">{mend}</span>}
            {place && (
              <span className="cell-sub">
                <Link to={place.to}>{place.text}</Link>
              </span>
            )}
          </span>
        </li>
      )
    })}
  </ol>
)

/** Shows the outcome of one way to sign in: failed checks with their fixes first, and passed checks collapsed. */
function Conclusion({ of: { outcome, code, steps }, name, isTrying, places, label }: ConclusionProps) {
  const isAllowed = outcome === 'allowed'
  const failed = steps.filter(({ ok }) => !ok)
  const passed = steps.filter(({ ok }) => ok)
  const would = isTrying ? 'would be' : 'is'
  return (
    <>
      <Notice
        tone={isAllowed ? 'good' : 'bad'}
        title={isAllowed ? `${name} ${would} allowed` : `${name} ${would} refused`}
      >
        {code && <code>{code}</code>}
      </Notice>
      {failed.length > 0 && <Checks label={label} steps={failed} places={places} />}
      {passed.length > 0 && (
        <details>
          <summary>{countText(passed.length, 'check')} passed</summary>
          <Checks label={`${label} that passed`} steps={passed} places={places} />
        </details>
      )}
    </>
  )
}
