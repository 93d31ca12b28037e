import type { Project } from '@rolecall/sdk/admin'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { question } from '../../api/queries.ts'
import { Button } from '../../components/button.tsx'
import { Panel } from '../../components/page.tsx'
import { SearchField } from '../../components/search-field.tsx'
import { useToast } from '../../components/toast.tsx'
import { Fields } from '../../forms/fields.tsx'
import { usePartForm } from '../../forms/use-form.ts'
import { useMayChange, useMayRead } from '../../shell/profile.ts'
import { roleChoices } from './role-choices.tsx'
import { SaveForm } from './save-form.tsx'

/** The form for the owners of a project, who manage it besides System Admins. */
export function OwnersPanel({ project }: { project: Project }) {
  const mayChange = useMayChange()
  const say = useToast()
  const form = usePartForm('updateProject', 'owners', {
    initial: { memberIds: [...project.owners.memberIds], roleIds: [...project.owners.roleIds] },
    params: { id: project.id },
    isReplaced: true,
    onDone: () => say('The owners are saved.'),
  })
  const mayRead = useMayRead()
  const servers = useQuery({ ...question('listServers'), enabled: mayRead })
  const mainId = servers.data?.data.find(({ isMain }) => isMain)?.id
  const roles = useQuery({
    ...question('listRoles', { params: { id: mainId ?? '' } }),
    enabled: mainId !== undefined,
  })
  const memberIds = form.values.memberIds ?? []
  return (
    <Panel
      title="Owners"
      note="Owners can change the description, branding, keys, webhooks, and addresses of the project, and see its deliveries. Only System Admins can choose owners."
    >
      <div className="stack">
        {/* Not in the form, so that Enter in the search does not save the owners. */}
        <fieldset className="field" name="memberIds" disabled={!mayChange}>
          <legend>Members</legend>
          {memberIds.map((id) => (
            <Owner
              key={id}
              id={id}
              onRemove={() =>
                form.set(
                  'memberIds',
                  memberIds.filter((one) => one !== id),
                )
              }
            />
          ))}
          {mayChange && (
            <FindMember chosen={memberIds} onChoose={(id) => form.set('memberIds', [...memberIds, id])} />
          )}
          {form.problemOf('memberIds') && (
            <span className="field-problem" role="alert">
              Members {form.problemOf('memberIds')}
            </span>
          )}
        </fieldset>
        <SaveForm form={form} action="Save owners" mayChange={mayChange}>
          <Fields
            form={form}
            keys={['roleIds']}
            labels={{ roleIds: 'Roles of the main server' }}
            helps={{ roleIds: 'Every member with one of these roles is an owner.' }}
            choices={{
              roleIds: roleChoices({
                roles: roles.data?.data,
                mayRead,
                chosen: [...project.owners.roleIds, ...(form.values.roleIds ?? [])],
              }),
            }}
          />
        </SaveForm>
      </div>
    </Panel>
  )
}

function Owner({ id, onRemove }: { id: string; onRemove: () => void }) {
  const member = useQuery({
    ...question('listMemberServers', { params: { chat_user_id: id } }),
    enabled: useMayRead(),
  })
  const name = member.data ? (member.data.globalName ?? member.data.username) : id
  return (
    <span className="row apart">
      <span>
        <bdi>{name}</bdi>
        {member.data && <bdi className="cell-sub mono">{member.data.username}</bdi>}
      </span>
      <Button size="small" aria-label={`Remove ${name}`} onClick={onRemove}>
        Remove
      </Button>
    </span>
  )
}

/** The maximum number of results. If there are more, the user types another letter. */
const maxResults = 5

function FindMember({ chosen, onChoose }: { chosen: readonly string[]; onChoose: (id: string) => void }) {
  const [search, setSearch] = useState('')
  const found = useQuery({
    ...question('listMembers', { query: { search, limit: maxResults } }),
    enabled: search !== '',
  })
  const others =
    search === '' ? [] : (found.data?.data ?? []).filter(({ memberId }) => !chosen.includes(memberId))
  return (
    <>
      <SearchField label="Find a member to add" value={search} onSearch={setSearch} />
      {others.map(({ memberId, globalName, username }) => (
        <Button key={memberId} size="small" onClick={() => onChoose(memberId)}>
          Add <bdi>{globalName ?? username}</bdi> (<bdi>{username}</bdi>)
        </Button>
      ))}
      {search !== '' && found.data && others.length === 0 && (
        <span className="quiet">No other member matches.</span>
      )}
    </>
  )
}
