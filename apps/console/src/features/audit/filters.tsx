import type { AdminInput, AuditEntry } from '@rolecall/sdk/admin'
import { Choice } from '../../components/choice.tsx'
import { countText } from '../../components/number.tsx'
import { PeriodFields, periodOf } from '../../components/period-fields.tsx'
import { SearchField } from '../../components/search-field.tsx'
import { pastedIn } from '../../shell/pasted.ts'
import { PersonFilter, TargetFilter } from './lookups.tsx'
import { isPreset, presetNamed, presetOf, presetTexts } from './period-presets.ts'

type Filters = Readonly<Record<string, string | undefined>>
type Query = NonNullable<AdminInput<'exportAuditLogs'>['query']>

/** The kinds of entries, in words for the reader. */
export const actionTypes: Readonly<Record<AuditEntry['actionType'], string>> = {
  auth: 'Sign-in and downloads',
  project: 'Project',
  server: 'Server',
  role: 'Role',
  webhook: 'Webhook',
  member: 'Member',
  sync: 'Reading members',
  permission: 'Access and settings',
}
/** The severities of entries, in words for the reader. */
export const severities: Readonly<Record<AuditEntry['severity'], string>> = {
  info: 'Info',
  warning: 'Warning',
  error: 'Error',
}

const oneOf = <Word extends string>(words: Readonly<Record<Word, string>>, word: string | undefined) =>
  word !== undefined && word in words ? (word as Word) : undefined

/** The maximum length of a text that the service searches for. */
const maxSearchLength = 100

/** Returns the query for the filters in the address. Leaves out values that are not valid. */
export const queryOf = ({ kind, severity, who, about, text, from, to }: Filters): Query => ({
  actionType: oneOf(actionTypes, kind),
  severity: oneOf(severities, severity),
  memberId: pastedIn(who ?? '')?.kind === 'member' ? who : undefined,
  targetId: about || undefined,
  search: text?.trim().slice(0, maxSearchLength) || undefined,
  ...periodOf({ from, to }),
})

interface FiltersProps {
  readonly filters: Filters
  readonly onChange: (changes: Filters) => void
  /** The number of entries that match the filters, if they were counted. */
  readonly count: number | undefined
}

/** The filters of the log. */
export const Filters = ({ filters, onChange, count }: FiltersProps) => (
  <div className="toolbar">
    <SearchField
      label="Search entries"
      value={filters['text'] ?? ''}
      onSearch={(text) => onChange({ text: text || undefined })}
    />
    <Choice
      label="Kind"
      all="Every kind"
      options={actionTypes}
      value={filters['kind'] ?? ''}
      onChoose={(kind) => onChange({ kind })}
    />
    <Choice
      label="Severity"
      all="Every severity"
      options={severities}
      value={filters['severity'] ?? ''}
      onChoose={(severity) => onChange({ severity })}
    />
    <Choice
      label="Period"
      all="Any time"
      options={presetTexts}
      value={presetNamed(filters['from'], filters['to'], new Date())}
      onChoose={(name) => onChange(isPreset(name) ? { ...presetOf(name, new Date()) } : { from: '', to: '' })}
    />
    <PeriodFields from={filters['from']} to={filters['to']} onChange={onChange} />
    <PersonFilter id={filters['who'] ?? ''} onChoose={(who) => onChange({ who })} />
    <TargetFilter id={filters['about'] ?? ''} onChoose={(about) => onChange({ about })} />
    {count !== undefined && (
      <span className="quiet toolbar-end" role="status">
        {countText(count, 'entry', 'entries')}
      </span>
    )}
  </div>
)
