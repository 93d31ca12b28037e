import type { RolecallError } from '@rolecall/sdk/admin'
import type { ReactNode } from 'react'
import { labelOf } from '../forms/label.ts'
import { Copyable } from './copy.tsx'

/** A message that there is nothing to show yet, with the next step. */
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

/** A placeholder in the final shape of the content. It appears only if the response is slow. */
export const Skeleton = ({ rows = 6, height = 40 }: { rows?: number; height?: number }) => (
  <div className="stack tight late loading" role="status" aria-label="Loading">
    <span className="loading-text" style={{ lineHeight: `${height}px` }}>
      Loading…
    </span>
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

/** A message, shown next to its subject. */
export const Notice = ({ tone = 'none', title, children, action }: NoticeProps) => (
  <div className="notice" data-tone={tone}>
    <div>
      {title && <span className="notice-title">{title}</span>}
      {children && <span>{children}</span>}
    </div>
    {action}
  </div>
)

/** Sentences for administrators. The service's sentences about these errors address programs, and name endpoints. */
const ownTexts: Readonly<Partial<Record<RolecallError['code'], string>>> = {
  INVALID_TOKEN: 'Your session has ended. Sign in again, and then try again.',
  NOT_SYSTEM_ADMIN: 'You do not have access to this. Ask a System Admin for access.',
  PROJECT_NOT_FOUND: 'This project does not exist. It may have been deleted.',
  WEBHOOK_NOT_FOUND: 'This webhook does not exist. It may have been deleted.',
  REDIRECT_URI_NOT_FOUND: 'The project does not have this redirect URI. It may have been removed.',
  ACCESS_NOT_FOUND: 'The project has no access to this server. The access may have been revoked.',
  SESSION_NOT_FOUND: 'This session does not exist. It may have ended.',
  API_KEY_NOT_NEWEST:
    'This key is no longer the newest one, so nothing was changed. Check the list of keys, and try again.',
}

/** The reason of a refusal: each wrong field in words, or else a sentence without Markdown. */
export const Reason = ({ error: { code, errors, detail, message } }: { error: RolecallError }) =>
  errors.length === 0 ? (
    (ownTexts[code] ?? (detail || message)).replaceAll('`', '')
  ) : (
    <ul>
      {errors.map((one) => (
        <li key={`${one.path} ${one.message}`}>
          {fieldOf(one.path)} {one.message}.
        </li>
      ))}
    </ul>
  )

/** Returns the label of the field at a path of the request. An item of a list has the label of the list. */
function fieldOf(path: string): string {
  const key = path.split('/').findLast((part) => !/^\d+$/.test(part)) ?? ''
  return key === 'chat_user_id' ? 'Member ID' : labelOf(key)
}

/** A failed or rejected call: the problem, the error code, and the request ID for an operator. */
export const Problem = ({ error, title }: { error: RolecallError; title?: string }) => (
  <div role="alert">
    <Notice tone="bad" title={title ?? 'Something went wrong'}>
      <Reason error={error} />
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
  /** The error of the latest attempt, while the call is retried. */
  readonly failureReason: RolecallError | null
  readonly isPlaceholderData: boolean
}

/** Combines responses that a page shows only together. If one of them failed, the combination has its error. */
export function answersOf<A, B, C>(
  ...answers: readonly [Answered<A>, Answered<B>, Answered<C>]
): Answered<readonly [A, B, C]> {
  const [a, b, c] = answers
  const isComplete = a.data !== undefined && b.data !== undefined && c.data !== undefined
  return {
    data: isComplete ? ([a.data, b.data, c.data] as const) : undefined,
    error: answers.find(({ error }) => error)?.error ?? null,
    failureReason: answers.find(({ failureReason }) => failureReason)?.failureReason ?? null,
    isPlaceholderData: answers.some(({ isPlaceholderData }) => isPlaceholderData),
  }
}

/**
 * Shows a response, a placeholder while it loads, or its error. The old response stays visible while a new one loads.
 */
export function QueryResult<T>({
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
  if (!of.error) return of.failureReason ? <NotReached /> : loading
  if (of.error.status === 403) return <Forbidden />
  if (of.error.status === 404)
    return <Empty title="Not found">It was deleted, or the address is wrong.</Empty>
  return <Problem error={of.error} title="Loading failed" />
}

/** Says that the service cannot be reached. The bar at the top of the page counts down to the next attempt. */
const NotReached = () => <Empty title="Not loaded yet">It loads automatically when Rolecall responds.</Empty>

/** Says that the reader is signed in, but does not have the required role. */
export const Forbidden = () => (
  <Empty title="You do not have access to this">
    Your account lacks the required role. Ask a System Admin for access.
  </Empty>
)
