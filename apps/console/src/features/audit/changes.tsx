import type { AuditEntry } from '@rolecall/sdk/admin'
import { Copyable } from '../../components/copy.tsx'
import { countText } from '../../components/number.tsx'

const textOf = (value: unknown): string =>
  value === null || value === undefined
    ? 'nothing'
    : typeof value === 'string'
      ? value
      : JSON.stringify(value)

/** What an entry says besides its sentence: each field before and after, to what it was done, and in which request. */
export function Changes({
  of: { changes, action, targetType, targetId, ip, requestId },
}: {
  of: AuditEntry
}) {
  const fields = Object.entries(changes ?? {})
  return (
    <details className="changes">
      <summary>{fields.length > 0 ? countText(fields.length, 'change') : 'More'}</summary>
      {fields.length > 0 && (
        <dl>
          {fields.map(([field, { before, after }]) => (
            <div key={field}>
              <dt>{field}</dt>
              <dd>
                <del>{textOf(before)}</del>
                <ins>{textOf(after)}</ins>
              </dd>
            </div>
          ))}
        </dl>
      )}
      <p className="quiet row">
        <code>{action}</code>
        {targetId !== null && (
          <span>
            {targetType} <Copyable text={targetId} />
          </span>
        )}
        {ip !== null && <span>from {ip}</span>}
        {requestId !== null && (
          <span>
            request <Copyable text={requestId} />
          </span>
        )}
      </p>
    </details>
  )
}
