import { settingTable } from '@rolecall/contract'
import type { AdminAnswer, AdminInput, SettingSource } from '@rolecall/sdk/admin'
import { Link, useBlocker } from '@tanstack/react-router'
import { type FormEvent, useId, useState } from 'react'
import { useApiQuery, useChange } from '../../api/queries.ts'
import { Button } from '../../components/button.tsx'
import { Status } from '../../components/chip.tsx'
import { confirmLeaving } from '../../components/confirm-leaving.ts'
import { Danger } from '../../components/danger.tsx'
import { Page as PageFrame, Panel } from '../../components/page.tsx'
import { Problem, QueryResult } from '../../components/states.tsx'
import { Time } from '../../components/time.tsx'
import { useToast } from '../../components/toast.tsx'
import { DurationInput } from '../../forms/duration-input.tsx'
import { labelOf } from '../../forms/label.ts'
import { useMayChange } from '../../shell/profile.ts'
import {
  type Changes,
  changesOf,
  editableRows,
  foreverOf,
  groupTitles,
  problemOf,
  rowsOf,
  type Setting,
  valueText,
} from './rows.ts'
import { SourceOf } from './source.tsx'
import './settings.css'

type Effective = AdminAnswer<'getSettings'>

/** Every setting with its value and the source of the value. */
export function Page() {
  const answer = useApiQuery('getSettings', {})
  return (
    <PageFrame
      title="Settings"
      guide="administering"
      lead="Changes apply on every instance within a second. Other values come from the environment of the service."
    >
      <QueryResult of={answer}>{(values) => <Settings values={values} />}</QueryResult>
    </PageFrame>
  )
}

function Settings({ values }: { values: Effective }) {
  const mayChange = useMayChange()
  const say = useToast()
  const update = useChange('updateSettings')
  const sources = useApiQuery('getSettingSources')
  const [changes, setChanges] = useState<Changes>({})
  const body = changesOf(values, changes)
  const isDirty = body !== undefined
  const isWrong = editableRows.some((row) => problemOf(row, changes[row.path]) !== undefined)
  useBlocker({
    shouldBlockFn: (leaving) =>
      isDirty && !confirmLeaving(leaving, 'Leave without saving? Your changes will be lost.'),
    enableBeforeUnload: () => isDirty,
  })
  const change = (next: Changes) => {
    if (update.isError) update.reset()
    setChanges(next)
  }
  const save = (event: FormEvent) => {
    event.preventDefault()
    if (body === undefined || isWrong || update.isPending) return
    // The cast is safe, because the names come from the contract's table of settings.
    update.mutate({ body } as AdminInput<'updateSettings'>, {
      onSuccess: () => {
        // Keeps what was typed while the request was running.
        setChanges((now) =>
          Object.fromEntries(Object.entries(now).filter(([path, text]) => text !== changes[path])),
        )
        say('The settings are saved.')
      },
    })
  }
  return (
    <form className="stack" onSubmit={save}>
      {Object.keys(settingTable).map((group) => (
        <Panel key={group} title={groupTitles[group] ?? labelOf(group)} flush>
          <dl className="settings">
            {rowsOf(group).map((row) => (
              <Row
                key={row.path}
                row={row}
                values={values}
                source={sources.data?.sources[row.path]}
                changed={changes[row.path]}
                change={mayChange ? (text) => change({ ...changes, [row.path]: text }) : undefined}
              />
            ))}
          </dl>
        </Panel>
      ))}
      {update.error && <Problem error={update.error} />}
      {mayChange && (
        <div className="form-actions">
          <Button kind="main" type="submit" disabled={!isDirty || isWrong} isBusy={update.isPending}>
            Save settings
          </Button>
          {isDirty && <Button onClick={() => change({})}>Undo</Button>}
          <Reset />
          <Link className="toolbar-end" to="/audit" search={{ about: 'settings' }}>
            Last changed <Time at={values.meta.updatedAt} />
          </Link>
        </div>
      )}
    </form>
  )
}

interface RowProps {
  readonly row: Setting
  readonly values: Effective
  readonly source: SettingSource | undefined
  readonly changed: string | undefined
  readonly change: ((text: string) => void) | undefined
}

function Row({ row, values, source, changed, change }: RowProps) {
  const id = useId()
  const { key, group, label, meaning, bounds } = row
  const problem = problemOf(row, changed)
  const shown = shownValue(values, group, key)
  return (
    <div>
      <dt>
        {bounds && change ? <label htmlFor={id}>{label}</label> : label}
        <span className="quiet">{meaning}</span>
      </dt>
      <dd>
        {bounds && change && typeof shown === 'number' ? (
          <>
            <NumberField {...{ id, row, problem }} value={changed ?? String(shown)} onChange={change} />
            <span id={`${id}-note`} className={problem ? 'field-problem' : 'quiet'}>
              {problem ?? `${valueText(row, bounds.min)} to ${valueText(row, bounds.max)}`}
            </span>
          </>
        ) : (
          <Value row={row} value={shown} />
        )}
        <SourceOf row={row} source={source} />
      </dd>
    </div>
  )
}

/** Returns the value of a setting to show. For a secret, it is whether the secret is set. */
function shownValue(values: Effective, group: string, key: string): unknown {
  const found = (values as unknown as Record<string, Record<string, object>>)[group]?.[key]
  if (found && 'isSet' in found) return found.isSet === true
  return found && 'value' in found ? found.value : null
}

interface NumberFieldProps {
  readonly id: string
  readonly row: Setting
  readonly value: string
  readonly problem: string | undefined
  readonly onChange: (text: string) => void
}

function NumberField({ id, row, value, problem, onChange }: NumberFieldProps) {
  const props = { id, value, 'aria-invalid': problem !== undefined, 'aria-describedby': `${id}-note` }
  return row.unit ? (
    <DurationInput
      {...props}
      label={row.label}
      stored={row.unit}
      forever={foreverOf(row)}
      onChange={onChange}
    />
  ) : (
    <input
      {...props}
      className="input"
      type="number"
      inputMode="numeric"
      min={row.bounds?.min}
      max={row.bounds?.max}
      onChange={(event) => onChange(event.target.value)}
    />
  )
}

const Value = ({ row, value }: { row: Setting; value: unknown }) =>
  typeof value === 'boolean' ? (
    <Status tone={value ? 'good' : 'bad'}>{value ? 'Set' : 'Not set'}</Status>
  ) : typeof value === 'number' ? (
    <span className="number">{valueText(row, value)}</span>
  ) : (
    <span className="mono">{value === null ? 'not set' : String(value)}</span>
  )

function Reset() {
  const [isOpen, setOpen] = useState(false)
  const reset = useChange('resetSettings')
  const say = useToast()
  return (
    <>
      <Button kind="danger" onClick={() => setOpen(true)}>
        Reset…
      </Button>
      <Danger
        action="Reset settings"
        question="Reset all settings?"
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        preview={async () => undefined}
        run={async () => {
          await reset.mutateAsync({})
          say('All settings are reset to the environment.')
        }}
      >
        All changes made here are removed. Every instance immediately uses the values of its environment
        again.
      </Danger>
    </>
  )
}
