import type { CreatedInboundWebhook, InboundWebhook, Project } from '@rolecall/sdk/admin'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { ask } from '../../api/admin.ts'
import { useApiQuery, useChange } from '../../api/queries.ts'
import { Button } from '../../components/button.tsx'
import { Status } from '../../components/chip.tsx'
import { Copyable, Secret } from '../../components/copy.tsx'
import { Danger } from '../../components/danger.tsx'
import { DataTable } from '../../components/data-table.tsx'
import { Num } from '../../components/number.tsx'
import { Panel } from '../../components/page.tsx'
import { Empty, Notice, QueryResult } from '../../components/states.tsx'
import { Time } from '../../components/time.tsx'
import { useToast } from '../../components/toast.tsx'
import { useMayManage } from '../../shell/profile.ts'
import { ProjectPage } from './project-page.tsx'
import { webhookAddress } from './webhook-address.ts'
import { WebhookForm } from './webhook-form.tsx'

/** The tab for the inbound webhooks of a project. */
export const Page = () => <ProjectPage>{(project) => <Webhooks project={project} />}</ProjectPage>

/** A signing secret that is shown once, with its webhook. */
interface Shown {
  readonly id: string
  readonly name: string
  readonly secret: string
}

/** The inbound webhooks of a project: its addresses that accept JSON of one shape. */
function Webhooks({ project }: { project: Project }) {
  const params = { projectId: project.id }
  const webhooks = useApiQuery('listWebhooks', { params })
  const mayChange = useMayManage(project.id)
  const [edited, setEdited] = useState<InboundWebhook | 'new'>()
  const stored = webhooks.data?.data.find((one) => edited !== 'new' && one.id === edited?.id)
  const isGone = edited !== undefined && edited !== 'new' && webhooks.isSuccess && !stored
  const isEditing = edited !== undefined && !isGone
  const [replacing, setReplacing] = useState<InboundWebhook>()
  const [deleting, setDeleting] = useState<InboundWebhook>()
  const [shown, setShown] = useState<readonly Shown[]>([])
  // Keeps the secrets of other webhooks that are already shown, because they may not be copied yet.
  const show = (one: Shown) => setShown((before) => [one, ...before.filter(({ id }) => id !== one.id)])
  const rotate = useChange('rotateSecret')
  const remove = useChange('deleteWebhook')
  const say = useToast()
  const done = (webhook: CreatedInboundWebhook | InboundWebhook) => {
    if ('secret' in webhook) show(webhook)
    else say(`“${webhook.name}” is saved.`)
    setEdited(undefined)
  }
  return (
    <div className="stack">
      {shown.map(({ id, name, secret }) => (
        <Notice key={id} tone="good" title={`Copy the secret of “${name}” now. It is not shown again.`}>
          <Secret text={secret} label="Signing secret" />
          <Link to="/projects/$id/webhooks/$webhookId" params={{ id: project.id, webhookId: id }}>
            See the signing code
          </Link>
        </Notice>
      ))}
      {isGone && (
        <div role="alert">
          <Notice tone="warn" title={`“${edited.name}” was deleted, so its form is closed.`} />
        </div>
      )}
      {isEditing && (
        <WebhookForm
          key={edited === 'new' ? 'new' : edited.id}
          project={project}
          webhook={edited === 'new' ? undefined : (stored ?? edited)}
          onDone={done}
          onClose={() => setEdited(undefined)}
        />
      )}
      <Panel
        title="Inbound webhooks"
        note="Each webhook stores JSON that matches its schema. Senders need an API key of the project. A webhook can also require a signature or a listed origin."
        flush
        actions={mayChange && !isEditing && <Button onClick={() => setEdited('new')}>New webhook</Button>}
      >
        <QueryResult of={webhooks}>
          {({ data }) => (
            <DataTable
              label="Inbound webhooks"
              rows={data}
              rowKey={({ id }) => id}
              rowLink={({ id }) => `/projects/${project.id}/webhooks/${id}`}
              columns={[
                { header: 'Name', cell: ({ name }) => <bdi>{name}</bdi> },
                {
                  header: 'Address',
                  cell: (webhook) => <Copyable text={webhookAddress(webhook)} shown={webhook.slug} />,
                },
                {
                  header: 'State',
                  cell: ({ isActive, requireSignature }) => (
                    <>
                      <Status tone={isActive ? 'good' : 'none'}>{isActive ? 'active' : 'inactive'}</Status>
                      <span className="cell-sub">
                        {requireSignature ? 'signed only' : 'signed or unsigned'}
                      </span>
                    </>
                  ),
                },
                {
                  header: 'Submissions',
                  cell: ({ submissionCount }) => <Num value={submissionCount} short />,
                  align: 'end',
                },
                {
                  header: 'Last',
                  cell: ({ lastSubmissionAt }) => <Time at={lastSubmissionAt} />,
                },
                {
                  header: '',
                  align: 'end',
                  cell: (webhook) =>
                    mayChange && (
                      <span className="row nowrap">
                        <Button
                          size="small"
                          aria-label={`Change ${webhook.name}`}
                          disabled={isEditing}
                          title={isEditing ? 'Save or cancel the open form first.' : undefined}
                          onClick={() => setEdited(webhook)}
                        >
                          Change
                        </Button>
                        <Button
                          size="small"
                          aria-label={`Replace secret of ${webhook.name}`}
                          onClick={() => setReplacing(webhook)}
                        >
                          Replace secret…
                        </Button>
                        <Button
                          size="small"
                          kind="danger"
                          aria-label={`Delete ${webhook.name}`}
                          onClick={() => setDeleting(webhook)}
                        >
                          Delete
                        </Button>
                      </span>
                    ),
                },
              ]}
              empty={
                <Empty title="No webhooks">
                  Any program can post JSON here: a form, a shop, or a script. The project reads it with its
                  API key.
                </Empty>
              }
            />
          )}
        </QueryResult>
      </Panel>
      {replacing && (
        <Danger
          action="Replace secret"
          question={`Replace the signing secret of “${replacing.name}”?`}
          isOpen
          onClose={() => setReplacing(undefined)}
          preview={async () => undefined}
          run={async () => {
            const { id, name } = replacing
            const { secret } = await rotate.mutateAsync({ params: { ...params, webhookId: id } })
            show({ id, name, secret })
          }}
        >
          The old secret stops working immediately. The new secret is shown once.
        </Danger>
      )}
      {deleting && (
        <Danger
          action="Delete webhook"
          question={`Delete “${deleting.name}”?`}
          isOpen
          onClose={() => setDeleting(undefined)}
          name={deleting.name}
          preview={async () =>
            ask('deleteWebhook', { params: { ...params, webhookId: deleting.id }, query: { dryRun: true } })
          }
          run={async () => {
            await remove.mutateAsync({ params: { ...params, webhookId: deleting.id }, query: {} })
            say(`“${deleting.name}” is deleted.`)
            if (edited !== 'new' && edited?.id === deleting.id) setEdited(undefined)
          }}
        />
      )}
    </div>
  )
}
