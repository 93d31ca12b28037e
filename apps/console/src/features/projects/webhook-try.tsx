import type { AdminInput, InboundWebhook } from '@rolecall/sdk/admin'
import { useMutation } from '@tanstack/react-query'
import { useId } from 'react'
import { ask } from '../../api/admin.ts'
import { Button } from '../../components/button.tsx'
import { countText } from '../../components/number.tsx'
import { Notice, Problem } from '../../components/states.tsx'
import { useDraft } from '../../forms/draft.ts'
import './webhooks.css'

type Tried = AdminInput<'tryPayload'>['body']

/** Returns the payload to try with a webhook, and its setter. The browser tab stores it until it is closed. */
export function usePayload({ id }: Pick<InboundWebhook, 'id'>): readonly [string, (payload: string) => void] {
  const [{ payload }, set] = useDraft(`payload-${id}`, { payload: '{}' })
  return [payload, (next) => set({ payload: next })]
}

interface TryPayloadProps {
  readonly webhook: Pick<InboundWebhook, 'id' | 'projectId'>
  readonly payload: string
  readonly onChange: (payload: string) => void
  /** A draft schema. Without it, the stored schema applies. */
  readonly schema?: InboundWebhook['schema'] | undefined
  /** True while the draft is not valid JSON. */
  readonly isDisabled?: boolean
}

/** A form that asks the service whether it would accept a payload. Nothing is stored. */
export function TryPayload({ webhook, payload, onChange, schema, isDisabled = false }: TryPayloadProps) {
  const { id, projectId } = webhook
  const fieldId = useId()
  const tried = useMutation({
    mutationFn: (body: Tried) => ask('tryPayload', { params: { projectId, webhookId: id }, body }),
  })
  // The result is hidden after an edit, because it belongs to the payload and the schema that were sent.
  const isCurrent = tried.variables?.payload === payload && tried.variables.schema === schema
  const errors = tried.data?.errors ?? []
  const more = tried.data?.more ?? 0
  return (
    <div className="stack tight">
      <div className="field">
        <label htmlFor={fieldId}>Payload</label>
        <textarea
          id={fieldId}
          className="input mono"
          rows={6}
          spellCheck={false}
          value={payload}
          onChange={({ target }) => onChange(target.value)}
        />
      </div>
      <div>
        <Button
          isBusy={tried.isPending}
          disabled={isDisabled}
          onClick={() => tried.mutate({ payload, ...(schema && { schema }) })}
        >
          Try it
        </Button>
      </div>
      <div role="status">
        {isCurrent && tried.data && (
          <Notice
            tone={tried.data.valid ? 'good' : 'bad'}
            title={tried.data.valid ? 'Valid' : `Not valid: ${countText(errors.length + more, 'problem')}`}
          >
            {tried.data.valid && 'This payload would be accepted.'}
          </Notice>
        )}
      </div>
      {isCurrent && errors.length > 0 && (
        <ul className="payload-problems" aria-label="Problems">
          {errors.map(({ path, message, code }) => (
            <li key={`${path} ${code} ${message}`}>
              <code>{path || '(root)'}</code> {message}
            </li>
          ))}
          {more > 0 && <li>{countText(more, 'more problem')}</li>}
        </ul>
      )}
      {isCurrent && tried.error && <Problem error={tried.error} title="The check failed" />}
    </div>
  )
}
