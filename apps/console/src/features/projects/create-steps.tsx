import type { ReactNode } from 'react'
import { useApiQuery } from '../../api/queries.ts'
import { Button } from '../../components/button.tsx'
import { countText } from '../../components/number.tsx'
import { Empty, Notice, QueryResult } from '../../components/states.tsx'
import { Fields } from '../../forms/fields.tsx'
import type { Body, Form } from '../../forms/use-form.ts'
import { type Kind, kinds } from './kinds.ts'
import { goodUris, RedirectUris } from './redirect-uris.tsx'

export type NewProjectForm = Form<Body<'createProject'>>

/** The choices that are not fields of the request. */
export interface Chosen {
  readonly kind: Kind['id']
  /** The redirect URIs, separated by commas. They are sent after the project was created. */
  readonly redirects: string
  /** The stack of the code that is shown at the end. */
  readonly stack: string
}

interface StepProps {
  readonly form: NewProjectForm
  readonly chosen: Chosen
  readonly choose: (changes: Partial<Chosen>) => void
  readonly kind: Kind
}

/** The first step: the kind of the project, its name, and its description. */
export const KindStep = ({ form, chosen, choose }: StepProps) => (
  <>
    <fieldset className="field kind-field">
      <legend>Kind</legend>
      <div className="choice-list">
        {kinds.map(({ id, text, note, oidc, asks }) => (
          <label key={id} className="choice">
            <input
              type="radio"
              name="kind"
              checked={chosen.kind === id}
              onChange={() => {
                choose({ kind: id })
                form.set('oidc', oidc)
                if (asks !== 'hosts') form.set('forwardAuth', undefined)
              }}
            />
            <span>{text}</span>
            <small>{note}</small>
          </label>
        ))}
      </div>
    </fieldset>
    <Fields
      form={form}
      keys={['name', 'description']}
      helps={{ name: 'Members see it when they sign in. Names are unique.' }}
    />
  </>
)

/** The second step: the redirect URIs or the protected hosts, depending on the kind. */
export function AddressesStep({ form, chosen, choose, kind }: StepProps) {
  if (kind.asks === 'nothing') {
    return (
      <p>
        Members do not sign in to this kind of project, so it needs no redirect URI. You can add one later.
      </p>
    )
  }
  if (kind.asks === 'redirects') {
    return (
      <RedirectUris
        value={chosen.redirects}
        onChange={(redirects) => choose({ redirects })}
        refused={undefined}
      />
    )
  }
  return <Hosts form={form} />
}

const Hosts = ({ form }: { form: NewProjectForm }) => (
  <div className="field">
    <label htmlFor="hosts">Protected hosts</label>
    <textarea
      id="hosts"
      className="input mono"
      rows={3}
      placeholder="wiki.crew.example"
      spellCheck={false}
      aria-invalid={form.problemOf('forwardAuth') !== undefined}
      aria-describedby="hosts-help hosts-problem"
      value={form.values.forwardAuth?.hosts?.join('\n') ?? ''}
      onChange={({ target }) =>
        form.set('forwardAuth', { hosts: target.value === '' ? [] : target.value.split('\n') })
      }
    />
    <span className="field-help" id="hosts-help">
      One host per line, with the port if it is not the default. A host can belong to only one project.
    </span>
    {form.problemOf('forwardAuth') && (
      <span className="field-problem" id="hosts-problem">
        {form.problemOf('forwardAuth')}
      </span>
    )}
  </div>
)

type Access = NonNullable<NewProjectForm['values']['serverAccess']>
const scopes = [
  ['read_members', 'Read members and their roles'],
  ['check_permissions', 'Check whether members hold roles'],
] as const
const everyScope = scopes.map(([scope]) => scope)

/** The third step: the servers to which the project gets access. */
export function ServersStep({ form }: StepProps) {
  const servers = useApiQuery('listServers')
  return (
    <QueryResult of={servers}>
      {({ data }) => {
        if (data.length === 0) {
          return <Empty title="No servers yet">You can create the project now and add a server later.</Empty>
        }
        const main = data.find(({ isMain }) => isMain)
        const access: Access =
          form.values.serverAccess ?? (main ? [{ serverId: main.id, scopes: everyScope }] : [])
        const set = (next: Access) => form.set('serverAccess', next)
        return (
          <fieldset className="field server-choices">
            <legend>Servers for sign-in</legend>
            {data.map(({ id, name, isMain, memberCount }) => {
              const given = access.find(({ serverId }) => serverId === id)
              return (
                <div key={id} className="server-choice" data-on={given ? '' : undefined}>
                  <label className="check">
                    <input
                      type="checkbox"
                      checked={given !== undefined}
                      onChange={({ target }) =>
                        set(
                          target.checked
                            ? [...access, { serverId: id, scopes: everyScope }]
                            : access.filter(({ serverId }) => serverId !== id),
                        )
                      }
                    />
                    <span>
                      <bdi>{name}</bdi>
                      <span className="field-help">
                        {countText(memberCount, 'member')}
                        {isMain && ' · main server'}
                      </span>
                    </span>
                  </label>
                  {given && (
                    <div className="server-scopes">
                      {scopes.map(([scope, text]) => (
                        <label key={scope} className="check">
                          <input
                            type="checkbox"
                            checked={given.scopes?.includes(scope) ?? true}
                            onChange={({ target }) => {
                              const kept = (given.scopes ?? everyScope).filter((one) => one !== scope)
                              const next = { serverId: id, scopes: target.checked ? [...kept, scope] : kept }
                              set(access.map((one) => (one.serverId === id ? next : one)))
                            }}
                          />
                          <span>
                            {text} <code className="quiet">{scope}</code>
                          </span>
                        </label>
                      ))}
                    </div>
                  )}
                </div>
              )
            })}
          </fieldset>
        )
      }}
    </QueryResult>
  )
}

/** The last step: all choices, each with a link to the step that changes it. */
export function ReviewStep({ form, chosen, kind, onEdit }: StepProps & { onEdit: (step: number) => void }) {
  const servers = useApiQuery('listServers')
  const { name = '', description, serverAccess, forwardAuth } = form.values
  const nameOf = (id: string) => servers.data?.data.find((server) => server.id === id)?.name ?? id
  const redirects = goodUris(chosen.redirects)
  const isStranded = kind.asks === 'redirects' && redirects.length === 0
  return (
    <>
      <dl className="review">
        <ReviewLine name="Name" step={1} onEdit={onEdit}>
          <strong>
            <bdi>{name}</bdi>
          </strong>
          {description && <span className="cell-sub">{description}</span>}
        </ReviewLine>
        <ReviewLine name="Kind" step={1} onEdit={onEdit}>
          {kind.text}
        </ReviewLine>
        <ReviewLine
          name={kind.asks === 'hosts' ? 'Protected hosts' : 'Redirect URIs'}
          step={2}
          onEdit={onEdit}
        >
          <Lines
            of={
              kind.asks === 'hosts' ? (forwardAuth?.hosts ?? []) : kind.asks === 'redirects' ? redirects : []
            }
          />
        </ReviewLine>
        <ReviewLine name="Servers" step={3} onEdit={onEdit}>
          {serverAccess ? (
            <Lines
              of={serverAccess.map(
                ({ serverId, scopes: given = [] }) =>
                  `${nameOf(serverId)}: ${given.join(', ') || 'sign-in only'}`,
              )}
            />
          ) : (
            'The main server, with all scopes'
          )}
        </ReviewLine>
      </dl>
      {isStranded && (
        <Notice tone="warn" title="No redirect URI">
          Members cannot sign in until you add one. You can do that later.
        </Notice>
      )}
    </>
  )
}

const ReviewLine = ({
  name: label,
  step,
  onEdit,
  children,
}: {
  name: string
  step: number
  onEdit: (step: number) => void
  children: ReactNode
}) => (
  <div>
    <dt>{label}</dt>
    <dd>{children}</dd>
    <dd>
      <Button kind="quiet" size="small" onClick={() => onEdit(step)} aria-label={`Change: ${label}`}>
        Change
      </Button>
    </dd>
  </div>
)

const Lines = ({ of }: { of: readonly string[] }) =>
  of.length === 0 ? (
    <span className="quiet">None</span>
  ) : (
    <ul>
      {of.map((line) => (
        <li key={line}>
          <bdi>{line}</bdi>
        </li>
      ))}
    </ul>
  )
