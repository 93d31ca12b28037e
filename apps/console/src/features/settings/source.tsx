import type { SettingSource } from '@rolecall/sdk/admin'
import { Status } from '../../components/chip.tsx'
import { Time } from '../../components/time.tsx'
import { type Setting, valueText } from './rows.ts'

interface SourceProps {
  readonly row: Setting
  /** The source. Undefined until it is loaded. */
  readonly source: SettingSource | undefined
}

const words = { default: 'Default', environment: 'Environment', stored: 'Set here' } as const

/** The source of a setting's value, the value after a reset, and the administrator who changed it last. */
export function SourceOf({ row, source }: SourceProps) {
  const names = row.variables.map((variable) => <code key={variable}>{variable} </code>)
  if (!source) return <span className="quiet">{names}</span>
  return (
    <span className="quiet">
      <Status tone="none">{words[source.source]}</Status>{' '}
      {source.source === 'stored' ? (
        <>
          overrides {valueText(row, source.configured ?? 0)} from {names}
        </>
      ) : (
        names
      )}
      {source.ignored !== null && (
        <Status tone="warn">{`${valueText(row, source.ignored)} is stored but out of bounds, so it is ignored`}</Status>
      )}
      {source.changedAt && (
        <>
          {' '}
          Changed <Time at={source.changedAt} />
          {source.changedBy && ` by ${source.changedBy}`}.
        </>
      )}
    </span>
  )
}
