import type { Table } from '../table.ts'
import type { EventClient } from './event-client.ts'
import type { Ledger } from './ledger.ts'
import type { sampleProcess } from './samples.ts'
import type { Verdicts } from './verdicts.ts'

interface Outcome {
  readonly checked: ReadonlyMap<string, number>
  readonly lost: readonly string[]
  readonly verdicts: Verdicts
  readonly ledger: Ledger
  readonly growth: ReturnType<ReturnType<typeof sampleProcess>['growth']>
  readonly events: EventClient
}

/** Returns the tables of a soak that `docs/reference/figures.md` shows. */
export function reportTables({ checked, lost, verdicts, ledger, growth, events }: Outcome): Table[] {
  const { counts, wrong, unexplained } = verdicts
  const acknowledged = [...ledger.done].map(([what, times]) => `${times.toLocaleString('en')} ${what}`)
  return [
    {
      id: 'soak-promises',
      title: 'Acknowledged results',
      note:
        `${counts.requests.toLocaleString('en')} requests. The run counted ${acknowledged.join(', ')}. The event streams ` +
        `delivered ${events.counts.events.toLocaleString('en')} events over ${events.counts.connections} connections. Each sign-out, revocation, ` +
        'refresh, and block was checked immediately at both instances, and all other results at the end.',
      columns: [
        { key: 'what', title: 'What' },
        { key: 'times', title: 'Count', digits: 0 },
      ],
      rows: [
        ...[...checked].map(([what, times]) => ({ what: `checked at the end: ${what}`, times })),
        { what: 'lost', times: lost.length },
        { what: 'wrong responses', times: wrong.length },
        { what: 'failed requests that a fault explains', times: counts.explained },
        { what: 'failed requests without an explanation', times: unexplained.length },
      ],
    },
    {
      id: 'soak-faults',
      title: 'Effects of the faults',
      note:
        'One at a time, at random. *Failed* counts requests without a response or with 503, and sign-ins without a code. *Recovery* is ' +
        'the longest time from the end of such a fault to the last failed request.',
      columns: [
        { key: 'fault', title: 'Fault' },
        { key: 'times', title: 'Times', digits: 0 },
        { key: 'lasted', title: 'Longest s', digits: 1 },
        { key: 'failures', title: 'Failed', digits: 0 },
        { key: 'recovery', title: 'Recovery s', digits: 1 },
      ],
      rows: [...verdicts.faults()].map(([fault, { times, failures, recoveryMs, lastedMs }]) => ({
        fault,
        times,
        failures,
        lasted: lastedMs / 1_000,
        recovery: Math.max(0, recoveryMs) / 1_000,
      })),
    },
    {
      id: 'soak-growth',
      title: 'Memory and files of the instance that ran throughout',
      note: `${growth.samples} samples after the warm-up. *First* and *Last* are means of the first and the last tenth. The growth per hour is a least-squares fit.`,
      columns: [
        { key: 'what', title: 'What' },
        { key: 'first', title: 'First', digits: 1 },
        { key: 'last', title: 'Last', digits: 1 },
        { key: 'most', title: 'Maximum', digits: 1 },
        { key: 'slopePerHour', title: 'Growth per hour', digits: 1 },
      ],
      rows: growth.rows.map(({ what, ...values }) => ({
        ...values,
        what: what === 'files' ? 'open files' : 'memory, MiB',
      })),
    },
    {
      id: 'soak-requests',
      title: 'Slowest responses by kind of request',
      note: 'Includes faults. A request that waits for a suspended database receives 503 within two seconds. A suspended instance responds after it resumes, up to six seconds later.',
      columns: [
        { key: 'kind', title: 'Request' },
        { key: 'requests', title: 'Requests', digits: 0 },
        { key: 'slowest', title: 'Slowest s', digits: 1 },
      ],
      rows: [...verdicts.perKind]
        .toSorted(([, a], [, b]) => b.slowestMs - a.slowestMs)
        .slice(0, 12)
        .map(([kind, { requests, slowestMs }]) => ({ kind, requests, slowest: slowestMs / 1_000 })),
    },
  ]
}
