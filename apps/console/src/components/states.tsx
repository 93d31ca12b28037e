import type { RolecallError } from '@rolecall/sdk/admin'
import type { ReactNode } from 'react'
import { Copyable } from './copy.tsx'

/** Nothing is there yet, and what to do about it. */
export const Empty = ({
  title,
  children,
  action,
}: {
  title: string
  children?: ReactNode
  action?: ReactNode
}) => (
  <div className="empty">
    <strong>{title}</strong>
    {children && <p>{children}</p>}
    {action}
  </div>
)

/** The final shape without its content; only shown when the answer is not there at once. */
export const Skeleton = ({ rows = 6, height = 40 }: { rows?: number; height?: number }) => (
  <div className="stack tight late" role="status" aria-label="Loading">
    {Array.from({ length: rows }, (_, row) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: they are all the same.
      <div key={row} className="skeleton" style={{ height }} />
    ))}
  </div>
)

interface NoticeProps {
  readonly tone?: 'none' | 'good' | 'warn' | 'bad'
  readonly title?: string
  readonly children?: ReactNode
  readonly action?: ReactNode
}

/** Something to know, where it matters. */
export const Notice = ({ tone = 'none', title, children, action }: NoticeProps) => (
  <div className="notice" data-tone={tone}>
    <div>
      {title && <span className="notice-title">{title}</span>}
      {children && <span>{children}</span>}
    </div>
    {action}
  </div>
)

/** What was refused or failed: what happened, the code, the request to name to an operator. */
export const Problem = ({ error, title }: { error: RolecallError; title?: string }) => (
  <div role="alert">
    <Notice tone="bad" title={title ?? 'That did not work'}>
      {error.detail || error.message}
      <span className="row quiet">
        <code>{error.code}</code>
        {error.requestId && (
          <>
            Request <Copyable text={error.requestId} />
          </>
        )}
      </span>
    </Notice>
  </div>
)

interface Answered<T> {
  readonly data: T | undefined
  readonly error: RolecallError | null
  readonly isPlaceholderData: boolean
}

/** An answer, or its shape while it is on the way, or why there is none. Old rows stay while new ones come. */
export function Answer<T>({
  of,
  loading = <Skeleton />,
  children,
}: {
  of: Answered<T>
  loading?: ReactNode
  children: (data: T) => ReactNode
}) {
  if (of.data !== undefined) {
    return of.isPlaceholderData ? <div className="stale">{children(of.data)}</div> : children(of.data)
  }
  return of.error ? <Problem error={of.error} title="This could not be read" /> : loading
}
