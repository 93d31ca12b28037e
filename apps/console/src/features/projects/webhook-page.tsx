import type { InboundWebhook, Project } from '@rolecall/sdk/admin'
import { Link, useParams } from '@tanstack/react-router'
import { useApiQuery } from '../../api/queries.ts'
import { Status } from '../../components/chip.tsx'
import { Copyable } from '../../components/copy.tsx'
import { Num } from '../../components/number.tsx'
import { Facts, Panel } from '../../components/page.tsx'
import { QueryResult } from '../../components/states.tsx'
import { Time } from '../../components/time.tsx'
import { ProjectPage } from './project-page.tsx'
import { webhookAddress } from './webhook-address.ts'
import { WebhookCode } from './webhook-code.tsx'
import { WebhookSubmissions } from './webhook-submissions.tsx'
import { TryPayload, usePayload } from './webhook-try.tsx'

/** The page of one inbound webhook. */
export const Page = () => <ProjectPage>{(project) => <OneWebhook project={project} />}</ProjectPage>

function OneWebhook({ project }: { project: Project }) {
  const { webhookId = '' } = useParams({ strict: false })
  const webhook = useApiQuery('getWebhook', { params: { projectId: project.id, webhookId } })
  return (
    <QueryResult of={webhook}>
      {(data) => <WebhookPanels key={data.id} project={project} webhook={data} />}
    </QueryResult>
  )
}

/** The facts and the submissions of one webhook, and a form to try a payload. */
function WebhookPanels({ project, webhook }: { project: Project; webhook: InboundWebhook }) {
  const [payload, setPayload] = usePayload(webhook)
  const { name, isActive, requireSignature, acceptedOrigins, submissionCount, lastSubmissionAt } = webhook
  return (
    <div className="stack">
      <Panel
        title={name}
        actions={
          <Link to="/projects/$id/webhooks" params={{ id: project.id }}>
            All inbound webhooks
          </Link>
        }
      >
        <Facts
          of={[
            ['Address', <Copyable key="address" text={webhookAddress(webhook)} />],
            [
              'State',
              <Status key="state" tone={isActive ? 'good' : 'none'}>
                {isActive ? 'active' : 'inactive'}
              </Status>,
            ],
            ['Signature', requireSignature ? 'Required' : 'Optional; checked if present'],
            ['Origins', acceptedOrigins.length > 0 ? acceptedOrigins.join(', ') : 'Any'],
            ['Submissions', <Num key="count" value={submissionCount} />],
            ['Last submission', <Time key="last" at={lastSubmissionAt} />],
          ]}
        />
      </Panel>
      <WebhookSubmissions webhook={webhook} />
      <Panel
        title="Try a payload"
        note="Validates the payload against the schema, like a submission. Nothing is stored."
      >
        <TryPayload webhook={webhook} payload={payload} onChange={setPayload} />
      </Panel>
      <WebhookCode project={project} webhook={webhook} payload={payload} />
    </div>
  )
}
