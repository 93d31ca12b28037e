import type { AdminAnswer, Project } from '@rolecall/sdk/admin'
import { useQueries, useQuery } from '@tanstack/react-query'
import { type ReactNode, useId } from 'react'
import { question } from '../../api/queries.ts'
import { RoleChip } from '../../components/chip.tsx'
import { Panel } from '../../components/page.tsx'
import { Problem } from '../../components/states.tsx'
import { useToast } from '../../components/toast.tsx'
import { afterPress } from '../../forms/after-press.ts'
import { FieldConflict, FieldProblem, Fields } from '../../forms/fields.tsx'
import { type Body, type Form, useForm } from '../../forms/use-form.ts'
import { useMayChange, useMayRead } from '../../shell/profile.ts'
import { SaveForm } from './save-form.tsx'
import './groups.css'

type Role = AdminAnswer<'listRoles'>['data'][number]
type GroupForm = Form<Body<'updateProject'>>

/** Edits the names that the project's applications read as groups. */
export function GroupsPanel({ project }: { project: Project }) {
  const mayChange = useMayChange()
  const say = useToast()
  const form: GroupForm = useForm('updateProject', {
    initial: { groupNames: project.groupNames, onlyNamedGroups: project.onlyNamedGroups },
    params: { id: project.id },
    onDone: () => say('The group names are saved.'),
  })
  const serverIds = serversOf(project)
  const mayRead = useMayRead()
  const answers = useQueries({
    queries: serverIds.map((id) => ({ ...question('listRoles', { params: { id } }), enabled: mayRead })),
  })
  const servers = useQuery({ ...question('listServers'), enabled: mayRead })
  const nameOf = (id: string) => servers.data?.data.find((one) => one.id === id)?.name ?? id
  const known = new Set(answers.flatMap(({ data }) => data?.data.map(({ id }) => id) ?? []))
  const isPending = answers.some((answer) => answer.isLoading)
  const others = isPending ? [] : Object.keys(project.groupNames ?? {}).filter((id) => !known.has(id))
  return (
    <Panel
      title="Groups"
      note="The names that applications of this project receive: in the groups claim, in Remote-Groups, and in the response of validate."
    >
      <SaveForm form={form} action="Save groups" mayChange={mayChange}>
        <div>
          <table className="table groups" aria-label="Group names">
            <thead>
              <tr>
                <th scope="col">Role</th>
                <th scope="col">Group name</th>
              </tr>
            </thead>
            {serverIds.map((id, at) => (
              <tbody key={id}>
                {serverIds.length > 1 && (
                  <Heading>
                    <bdi>{nameOf(id)}</bdi>
                  </Heading>
                )}
                {answers[at]?.data?.data.map((role) => (
                  <RoleRow key={role.id} form={form} role={role} />
                ))}
              </tbody>
            ))}
            {others.length > 0 && (
              <tbody>
                <Heading>Other roles</Heading>
                {others.map((id) => (
                  <RoleRow key={id} form={form} role={{ id, name: id, color: null }} />
                ))}
              </tbody>
            )}
          </table>
          <Fields
            form={form}
            keys={['onlyNamedGroups']}
            labels={{ onlyNamedGroups: 'Only named groups' }}
            helps={{ onlyNamedGroups: 'Roles without a group name are left out.' }}
          />
        </div>
        {mayChange && answers.map(({ error }, at) => error && <Problem key={serverIds[at]} error={error} />)}
        <FieldProblem id="group-names-problem" text={tooMany(form)} label="Group names" />
        <FieldConflict id="group-names-conflict" conflict={form.conflictOf('groupNames')} />
      </SaveForm>
    </Panel>
  )
}

const Heading = ({ children }: { children: ReactNode }) => (
  <tr>
    <th scope="rowgroup" colSpan={2}>
      {children}
    </th>
  </tr>
)

function RoleRow({ form, role }: { form: GroupForm; role: Pick<Role, 'id' | 'name' | 'color'> }) {
  const id = useId()
  const names = form.values.groupNames ?? {}
  const problem = form.problemOf(`groupNames/${role.id}`)
  const change = (text: string) => {
    const { [role.id]: _, ...others } = names
    const next = text === '' ? others : { ...names, [role.id]: text }
    form.set('groupNames', Object.keys(next).length === 0 ? null : next)
  }
  return (
    <tr>
      <td>
        <RoleChip name={role.name} color={role.color} />
      </td>
      <td>
        <input
          className="input"
          type="text"
          autoComplete="off"
          spellCheck={false}
          aria-label={`Group name of ${role.name}`}
          aria-invalid={problem !== undefined}
          aria-describedby={`${id}-problem`}
          placeholder={form.values.onlyNamedGroups ? 'No group' : role.name}
          value={names[role.id] ?? ''}
          onChange={({ target }) => change(target.value)}
          onBlur={() => afterPress(() => form.touch(`groupNames/${role.id}`))}
        />
        <FieldProblem id={`${id}-problem`} text={problem} label="Group name" />
      </td>
    </tr>
  )
}

/** Returns the problem of the whole table. Each row shows its own problems. */
function tooMany(form: GroupForm): string | undefined {
  const hasRowProblem = Object.keys(form.values.groupNames ?? {}).some(
    (id) => form.problemOf(`groupNames/${id}`) !== undefined,
  )
  return hasRowProblem ? undefined : form.problemOf('groupNames')
}

/** Lists the servers that give their members access to the project. */
function serversOf({ oidc, forwardAuth, serverAccess }: Project): string[] {
  const all = [oidc.serverId, forwardAuth.serverId, ...serverAccess.map(({ serverId }) => serverId)]
  return [...new Set(all.filter((id) => id !== null))]
}
