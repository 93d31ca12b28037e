import type { AdminAnswer, RolecallError } from '@rolecall/sdk/admin'
import type { ReactNode } from 'react'
import { Button } from '../../components/button.tsx'
import { Status } from '../../components/chip.tsx'
import { Choice } from '../../components/choice.tsx'
import { CursorPager } from '../../components/cursor-pager.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Panel } from '../../components/page.tsx'
import { Problem, QueryResult } from '../../components/states.tsx'
import { Time } from '../../components/time.tsx'
import { useToast } from '../../components/toast.tsx'
import { useFilters } from '../../components/use-filters.ts'

/** The fields that all deliveries have: those of events, and those of logout tokens. */
type Delivery = Pick<
  AdminAnswer<'listEventDeliveries'>['data'][number],
  'id' | 'status' | 'attempts' | 'lastStatus' | 'lastError' | 'createdAt' | 'nextAttemptAt'
>

const tones = { pending: 'warn', delivered: 'good', failed: 'bad' } as const
const statuses = { pending: 'pending', delivered: 'delivered', failed: 'failed' } as const
const perPage = 20

const common: readonly Column<Delivery>[] = [
  {
    header: 'State',
    cell: ({ status, lastStatus, lastError }) => (
      <>
        <Status tone={tones[status]}>{status}</Status>
        {status !== 'delivered' && (lastError || lastStatus) && (
          <span className="cell-sub" title={lastError ?? undefined}>
            {lastError ?? `status ${lastStatus}`}
          </span>
        )}
      </>
    ),
  },
  { header: 'Attempts', cell: ({ attempts }) => attempts, align: 'end' },
  {
    header: 'When',
    cell: ({ createdAt, nextAttemptAt, status }) => (
      <>
        <Time at={createdAt} />
        {status === 'pending' && nextAttemptAt && (
          <span className="cell-sub">
            next <Time at={nextAttemptAt} />
          </span>
        )}
      </>
    ),
    align: 'end',
  },
]

/**
 * Returns the filters of a list of deliveries. Their names in the address differ, because a page may have two lists.
 */
export function useDeliveryFilters(names: { readonly state: string; readonly cursor: string }) {
  const [filters, setFilters] = useFilters()
  const word = filters[names.state] ?? ''
  const cursor = filters[names.cursor]
  return {
    word,
    query: { status: word in statuses ? (word as keyof typeof statuses) : undefined, cursor, limit: perPage },
    setWord: (next: string) => setFilters({ [names.state]: next, [names.cursor]: undefined }),
    cursorFilter: names.cursor,
  }
}

interface DeliveriesProps<Row extends Delivery> {
  readonly title: string
  readonly note: string
  readonly empty: ReactNode
  readonly answer: Parameters<
    typeof QueryResult<{ readonly data: readonly Row[]; readonly nextCursor: string | null }>
  >[0]['of']
  readonly narrowed: ReturnType<typeof useDeliveryFilters>
  /** The columns for the content of a delivery. The columns for its progress follow. */
  readonly columns: readonly Column<Row>[]
  readonly resend: {
    readonly mayResend: boolean
    readonly error: RolecallError | null
    readonly nameOf: (row: Row) => string
    readonly send: (row: Row, onSuccess: () => void) => void
  }
}

/** Completed and pending deliveries, newest first, each with a button to send it again. */
export function Deliveries<Row extends Delivery>(props: DeliveriesProps<Row>) {
  const { title, note, empty, answer, narrowed, columns, resend } = props
  const say = useToast()
  return (
    <Panel
      title={title}
      note={note}
      flush
      actions={
        <Choice
          label="State"
          value={narrowed.word}
          options={statuses}
          all="Every state"
          onChoose={narrowed.setWord}
        />
      }
    >
      {resend.error && <Problem error={resend.error} />}
      <QueryResult of={answer}>
        {({ data, nextCursor }) => (
          <>
            <DataTable<Row>
              label={title}
              rows={data}
              rowKey={({ id }) => id}
              columns={[
                ...columns,
                ...common,
                {
                  header: '',
                  align: 'end',
                  cell: (row) =>
                    resend.mayResend &&
                    row.status !== 'pending' && (
                      <Button
                        size="small"
                        aria-label={`Send again: ${resend.nameOf(row)}`}
                        onClick={() => resend.send(row, () => say('Sending again.'))}
                      >
                        Send again
                      </Button>
                    ),
                },
              ]}
              empty={empty}
            />
            <CursorPager next={nextCursor} filter={narrowed.cursorFilter} />
          </>
        )}
      </QueryResult>
    </Panel>
  )
}

export const Named = ({ title, id }: { title: string; id: string }) => (
  <>
    {title}
    <span className="cell-sub mono">{id}</span>
  </>
)
