import type { AuditChain } from '@rolecall/sdk/admin'
import { useQuery } from '@tanstack/react-query'
import { question, useChange } from '../../api/queries.ts'
import { Button } from '../../components/button.tsx'
import { numberText } from '../../components/number.tsx'
import { Notice, Problem, QueryResult, Skeleton } from '../../components/states.tsx'
import { Time } from '../../components/time.tsx'
import { useToast } from '../../components/toast.tsx'
import { useMayChange } from '../../shell/profile.ts'

/** The interval, in milliseconds, at which the progress of a check is polled. */
const everyMs = 5_000

/** The state of the audit chain: whether all entries are unchanged. */
export function Chain() {
  const chain = useQuery({ ...question('auditChain', {}), refetchInterval: everyMs })
  const again = useChange('verifyAuditChain')
  const say = useToast()
  const mayChange = useMayChange()
  const check = mayChange && (
    <Button
      size="small"
      isBusy={again.isPending}
      onClick={() => again.mutate({}, { onSuccess: () => say('The check of the whole log has started.') })}
    >
      {chain.data?.status === 'unchecked' ? 'Check now' : 'Check again'}
    </Button>
  )
  return (
    <div className="chain">
      <QueryResult of={chain} loading={<Skeleton rows={1} />}>
        {(state) => (
          <Notice tone={tones[state.status]} title={titles[state.status]} action={check}>
            <Sentence state={state} />
          </Notice>
        )}
      </QueryResult>
      {again.error && <Problem error={again.error} />}
    </div>
  )
}

const tones = { unchecked: 'none', checking: 'none', verified: 'good', broken: 'bad' } as const
const titles = {
  unchecked: 'The log has not been verified yet',
  checking: 'Verifying the log',
  verified: 'The log is intact',
  broken: 'The log was altered',
} as const

function Sentence({
  state: { status, entries, checked, letGo, verifiedAt, problem, mend },
}: {
  state: AuditChain
}) {
  if (status === 'broken')
    return (
      <>
        {problem} {mend}
      </>
    )
  return (
    <>
      {numberText(checked)} of {numberText(entries)} entries verified
      {verifiedAt && (
        <>
          {' '}
          <Time at={verifiedAt} />
        </>
      )}
      {letGo > 0 && `; ${numberText(letGo)} older entries were deleted when they reached their age limit`}.
    </>
  )
}
