import type { AdminAnswer, Project } from '@rolecall/sdk/admin'
import { useState } from 'react'
import { useApiQuery, useChange } from '../../api/queries.ts'
import { Button } from '../../components/button.tsx'
import { Copyable, Secret } from '../../components/copy.tsx'
import { Danger } from '../../components/danger.tsx'
import { Panel } from '../../components/page.tsx'
import { Empty, Notice } from '../../components/states.tsx'
import { momentText } from '../../components/time.tsx'
import { useToast } from '../../components/toast.tsx'
import { Fields } from '../../forms/fields.tsx'
import { useForm } from '../../forms/use-form.ts'
import { useMayManage } from '../../shell/profile.ts'
import { Deliveries, Named, useDeliveryFilters } from './deliveries.tsx'
import { NoticeAddress } from './notice-address.tsx'
import { ProjectPage } from './project-page.tsx'
import { SaveForm } from './save-form.tsx'

/** The tab for the events of a project: the address to which they are sent, and the deliveries. */
export const Page = () => (
  <ProjectPage>
    {(project) => (
      <div className="stack">
        <Events project={project} />
        <EventDeliveries project={project} />
        <NoticeAddress project={project} />
        <Notices project={project} />
      </div>
    )}
  </ProjectPage>
)

function Events({ project }: { project: Project }) {
  const say = useToast()
  const maySend = useMayManage(project.id)
  const [secret, setSecret] = useState<string>()
  const [isReplacing, setReplacing] = useState(false)
  const rotate = useChange('rotateEventsSecret')
  return (
    <Panel
      title="Events"
      note="Sends ended sessions, changed roles, and other events to your backend, as Standard Webhooks."
      actions={
        maySend && project.eventsUrl && <Button onClick={() => setReplacing(true)}>Replace secret…</Button>
      }
    >
      <div className="stack">
        {project.eventsDisabledAt && (
          <Notice tone="bad" title="Events are disabled">
            The address accepted nothing for a day, or returned status 410. Save the address again to resume.
          </Notice>
        )}
        {secret && (
          <Notice tone="good" title="Copy the signing secret now. It is not shown again.">
            <Secret text={secret} label="Signing secret" />
          </Notice>
        )}
        <EventsAddress project={project} onSecret={setSecret} />
      </div>
      <Danger
        action="Replace secret"
        question={`Replace the signing secret of “${project.name}”?`}
        isOpen={isReplacing}
        onClose={() => setReplacing(false)}
        preview={async () => undefined}
        run={async () => {
          const { secret: next, formerEndsAt } = await rotate.mutateAsync({ params: { id: project.id } })
          setSecret(next)
          if (formerEndsAt) say(`The old secret stays valid until ${momentText(formerEndsAt)}.`)
        }}
      >
        The old secret stays valid for a day. If you already replaced a secret within the last day, that
        earlier secret stops working immediately. The new secret is shown once.
      </Danger>
    </Panel>
  )
}

interface EventsAddressProps {
  readonly project: Project
  readonly onSecret: (secret: string | undefined) => void
}

/** The form for the address to which events are sent. The response to the first address contains the secret. */
function EventsAddress({ project, onSecret }: EventsAddressProps) {
  const say = useToast()
  const form = useForm('updateProject', {
    initial: { eventsUrl: project.eventsUrl ?? '' },
    params: { id: project.id },
    onDone: (answer) => {
      const isRemoved = form.values.eventsUrl === ''
      if (isRemoved) onSecret(undefined)
      if ('eventsSecret' in answer && answer.eventsSecret) onSecret(answer.eventsSecret)
      say(isRemoved ? 'The address is removed. Events are no longer sent.' : 'The address is saved.')
    },
  })
  return (
    <SaveForm
      form={form}
      action="Save address"
      mayChange={useMayManage(project.id)}
      maySaveAgain={project.eventsDisabledAt !== null}
    >
      <Fields form={form} keys={['eventsUrl']} labels={{ eventsUrl: 'Backend address' }} />
    </SaveForm>
  )
}

type EventDelivery = AdminAnswer<'listEventDeliveries'>['data'][number]
type NoticeDelivery = AdminAnswer<'listDeliveries'>['data'][number]

function EventDeliveries({ project }: { project: Project }) {
  const narrowed = useDeliveryFilters({ state: 'events', cursor: 'after' })
  const resend = useChange('resendEventDelivery')
  const params = { id: project.id }
  return (
    <Deliveries<EventDelivery>
      title="Events sent"
      note="From the last seven days. Failed deliveries are retried for 24 hours."
      empty={<Empty title="No events sent">Events appear here after you set the address.</Empty>}
      answer={useApiQuery('listEventDeliveries', { params, query: narrowed.query })}
      narrowed={narrowed}
      columns={[
        { header: 'Event', cell: ({ type, id }) => <Named title={type} id={id} /> },
        { header: 'Member', cell: ({ memberId }) => memberId && <Copyable text={memberId} /> },
      ]}
      resend={{
        mayResend: useMayManage(project.id),
        error: resend.error,
        nameOf: ({ type }) => type,
        send: ({ id }, onSuccess) => resend.mutate({ params: { ...params, eventId: id } }, { onSuccess }),
      }}
    />
  )
}

function Notices({ project }: { project: Project }) {
  const narrowed = useDeliveryFilters({ state: 'notices', cursor: 'from' })
  const resend = useChange('resendDelivery')
  const params = { id: project.id }
  return (
    <Deliveries<NoticeDelivery>
      title="Notices posted"
      note="Posted and pending notices."
      empty={<Empty title="No notices">Notices about keys, access, and disabled events appear here.</Empty>}
      answer={useApiQuery('listDeliveries', { params, query: narrowed.query })}
      narrowed={narrowed}
      columns={[{ header: 'Notice', cell: ({ text, type }) => <Named title={text} id={type} /> }]}
      resend={{
        mayResend: useMayManage(project.id),
        error: resend.error,
        nameOf: ({ type }) => type,
        send: ({ id }, onSuccess) => resend.mutate({ params: { ...params, deliveryId: id } }, { onSuccess }),
      }}
    />
  )
}
