import type { CreatedInboundWebhook, InboundWebhook, Project } from '@rolecall/sdk/admin'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Panel } from '../../components/page.tsx'
import { Problem } from '../../components/states.tsx'
import { Fields } from '../../forms/fields.tsx'
import { useForm } from '../../forms/use-form.ts'
import { type AnyWebhookForm, SchemaField } from './schema-field.tsx'
import { TryPayload, usePayload } from './webhook-try.tsx'

interface WebhookFormProps {
  readonly project: Project
  /** The webhook to change. Undefined to create one. */
  readonly webhook: InboundWebhook | undefined
  readonly onDone: (webhook: CreatedInboundWebhook | InboundWebhook) => void
  readonly onClose: () => void
}

/** The form that creates or changes an inbound webhook. */
export const WebhookForm = (props: WebhookFormProps) =>
  props.webhook ? <ChangeForm {...props} webhook={props.webhook} /> : <CreateForm {...props} />

/** The initial schema of a new webhook. */
const sample = {
  type: 'object',
  required: ['title'],
  properties: { title: { type: 'string', maxLength: 200 }, text: { type: 'string' } },
  additionalProperties: false,
}

function CreateForm({ project, onDone, onClose }: WebhookFormProps) {
  const form = useForm('createWebhook', {
    initial: { name: '', schema: sample, requireSignature: true, isActive: true, acceptedOrigins: [] },
    params: { projectId: project.id },
    onDone,
  })
  return <WebhookFields title="New webhook" action="Create webhook" form={form} onClose={onClose} />
}

function ChangeForm({ project, webhook, onDone, onClose }: WebhookFormProps & { webhook: InboundWebhook }) {
  const { name, slug, schema, requireSignature, isActive, acceptedOrigins } = webhook
  const form = useForm('updateWebhook', {
    initial: { name, slug, schema, requireSignature, isActive, acceptedOrigins: [...acceptedOrigins] },
    params: { projectId: project.id, webhookId: webhook.id },
    onDone: (answer) => {
      if (!('dryRun' in answer)) onDone(answer)
    },
  })
  const [payload, setPayload] = usePayload(webhook)
  return (
    <WebhookFields title={`Change “${name}”`} action="Save webhook" form={form} onClose={onClose}>
      <details>
        <summary>Try a payload with this schema before you save it</summary>
        <TryPayload
          webhook={webhook}
          payload={payload}
          onChange={setPayload}
          schema={form.values.schema}
          isDisabled={form.values.schema === undefined}
        />
      </details>
    </WebhookFields>
  )
}

function WebhookFields({
  title,
  action,
  form,
  onClose,
  children,
}: {
  title: string
  action: string
  form: AnyWebhookForm
  onClose: () => void
  /** The fields besides the schema. */
  children?: ReactNode
}) {
  const [isJson, setJson] = useState(true)
  const fields = useRef<HTMLFormElement>(null)
  // The form opens above the button that opens it, so the next Tab would not reach it.
  useEffect(() => fields.current?.focus(), [])
  return (
    <Panel title={title}>
      <form
        ref={fields}
        tabIndex={-1}
        aria-label={title}
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          if (isJson) form.submit()
        }}
      >
        <Fields
          form={form}
          keys={['name', 'slug']}
          helps={{ slug: 'The last part of the address. Leave it empty to derive it from the name.' }}
        />
        <SchemaField form={form} onJson={setJson} />
        {children}
        <Fields
          form={form}
          keys={['requireSignature', 'isActive', 'acceptedOrigins']}
          labels={{
            requireSignature: 'Only signed submissions',
            isActive: 'Accepts submissions',
            acceptedOrigins: 'Accepted origins',
          }}
          helps={{
            requireSignature: 'Submissions without a signature are rejected.',
            isActive: 'While this is off, every submission is rejected.',
            acceptedOrigins:
              'One per line, such as https://site.example. Leave it empty to accept any origin.',
          }}
        />
        {form.failure && <Problem error={form.failure} />}
        <div className="form-actions">
          <Button kind="main" type="submit" isBusy={form.isBusy} disabled={!isJson}>
            {action}
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </div>
      </form>
    </Panel>
  )
}
