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
      title: 'What was acknowledged, and is so',
      note:
        `${counts.requests.toLocaleString('en')} requests, among them ${acknowledged.join(', ')}; ` +
        `${events.counts.events.toLocaleString('en')} events over ${events.counts.connections} connections. Each log-out, revocation, ` +
        'rotation and block was followed by the question at both instances whether it is so; the rest was asked at the end.',
      columns: [
        { key: 'what', title: 'What' },
        { key: 'times', title: 'Times', digits: 0 },
      ],
      rows: [
        ...[...checked].map(([what, times]) => ({ what: `checked at the end: ${what}`, times })),
        { what: 'lost', times: lost.length },
        { what: 'wrong answers', times: wrong.length },
        { what: 'answers without or with 503 that a fault explains', times: counts.explained },
        { what: 'the same that nothing explains', times: unexplained.length },
      ],
    },
    {
      id: 'soak-faults',
      title: 'Faults, and what was seen of them',
      note:
        'One at a time, at random. Unanswered or 503: how many requests of all lanes could not be served. Recovery: the longest time from ' +
        'the end of such a fault to the last request that could not.',
      columns: [
        { key: 'fault', title: 'Fault' },
        { key: 'times', title: 'Times', digits: 0 },
        { key: 'lasted', title: 'Longest s', digits: 1 },
        { key: 'failures', title: 'Unanswered or 503', digits: 0 },
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
      title: 'What the instance that was never stopped holds',
      note: `${growth.samples} samples after the warm-up; growth an hour by least squares, first and last tenth as means.`,
      columns: [
        { key: 'what', title: 'What' },
        { key: 'first', title: 'First', digits: 1 },
        { key: 'last', title: 'Last', digits: 1 },
        { key: 'most', title: 'Most', digits: 1 },
        { key: 'slopePerHour', title: 'Growth an hour', digits: 1 },
      ],
      rows: growth.rows.map(({ what, ...values }) => ({
        ...values,
        what: what === 'files' ? 'open files' : 'memory, MiB',
      })),
    },
    {
      id: 'soak-requests',
      title: 'The slowest answers, by kind of request',
      note: 'Faults included: who waits for a database that hangs is told so within two seconds.',
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
