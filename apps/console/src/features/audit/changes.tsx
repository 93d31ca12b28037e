import type { AuditEntry } from '@rolecall/sdk/admin'
import { Copyable } from '../../components/copy.tsx'
import { countText } from '../../components/number.tsx'
import { diffOf } from './diff.ts'

/** The details of an entry: each change before and after, its target, its actor, and its request. */
export function Changes({
  of: { changes, action, actorId, targetType, targetId, ip, requestId },
}: {
  of: AuditEntry
}) {
  const differences = diffOf(changes)
  return (
    <details className="changes">
      <summary>{differences.length > 0 ? countText(differences.length, 'change') : 'More'}</summary>
      {differences.length > 0 && (
        <dl>
          {differences.map(({ label, before, after }) => (
            <div key={label}>
              <dt>{label}</dt>
              <dd>
                <del>
                  <span className="unseen">before </span>
                  <bdi>{before}</bdi>
                </del>
                <span aria-hidden="true">→</span>
                <ins>
                  <span className="unseen">after </span>
                  <bdi>{after}</bdi>
                </ins>
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
        {actorId !== null && (
          <span>
            by <Copyable text={actorId} />
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
