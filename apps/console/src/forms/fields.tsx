import type { Schema } from '@rolecall/contract'
import { type ReactNode, useId } from 'react'
import { instantOf } from '../components/period-fields.tsx'
import { afterPress } from './after-press.ts'
import { labelOf } from './label.ts'
import { localText } from './local-moment.ts'
import type { Form } from './use-form.ts'

/** The fields of a form. The contract's schema decides the type, label, help, and bounds of each. */
export const Fields = <Values extends object>({
  form,
  keys,
  labels = {},
  helps = {},
  choices = {},
}: {
  form: Form<Values>
  keys: readonly (keyof Values & string)[]
  /** Labels that replace those of the contract on this page. */
  labels?: Partial<Record<keyof Values & string, string>>
  helps?: Partial<Record<keyof Values & string, string>>
  /** The options of a field for an ID, or of a field for a list of IDs. */
  choices?: Partial<Record<keyof Values & string, readonly Choice[]>>
}) =>
  keys.map((key) => (
    <Field key={key} form={form} of={key} label={labels[key]} help={helps[key]} choices={choices[key]} />
  ))

/** An ID and its label. */
export interface Choice {
  readonly id: string
  readonly text: ReactNode
}

interface FieldProps<Values extends object> {
  readonly form: Form<Values>
  readonly of: keyof Values & string
  readonly label: string | undefined
  readonly help: string | undefined
  readonly choices: readonly Choice[] | undefined
}

function Field<Values extends object>({ form, of: key, label, help, choices }: FieldProps<Values>) {
  const id = useId()
  const rule = form.rules.get(key)
  if (!rule) throw new Error(`The contract has no field ${key} there.`)
  const { schema } = rule
  const problem = form.problemOf(key)
  const value: unknown = form.values[key]
  const set = (next: unknown) => form.set(key, next as (typeof form.values)[typeof key])
  // Marks required fields only if the form has some. A form that changes an object has none.
  const isMixed = [...form.rules.values()].some(({ isRequired }) => isRequired)
  const shown = label ?? schema.title ?? labelOf(key)
  const said = help ?? schema.description
  const props = {
    id,
    name: key,
    'aria-invalid': problem !== undefined,
    'aria-describedby': `${id}-help ${id}-problem ${id}-conflict`,
    'aria-required': rule.isRequired,
    onBlur: () => afterPress(() => form.touch(key)),
  }
  const notes = (
    <>
      {said && (
        <span className="field-help" id={`${id}-help`}>
          <Prose text={said} />
        </span>
      )}
      <FieldProblem id={`${id}-problem`} text={problem} label={shown} />
      <FieldConflict id={`${id}-conflict`} conflict={form.conflictOf(key)} choices={choices} />
    </>
  )
  if (schema.type === 'boolean') {
    return (
      <div className="check">
        <input
          {...props}
          type="checkbox"
          checked={value === true}
          onChange={(event) => set(event.target.checked)}
        />
        <span>
          <label htmlFor={id}>{shown}</label>
          {notes}
        </span>
      </div>
    )
  }
  if (choices && schema.type === 'array') {
    const chosen = Array.isArray(value) ? value : []
    return (
      <fieldset name={key} className="field" aria-describedby={`${id}-help ${id}-problem`}>
        <legend>{shown}</legend>
        {choices.map((choice) => (
          <label key={choice.id} className="check">
            <input
              type="checkbox"
              checked={chosen.includes(choice.id)}
              onChange={({ target }) =>
                set(target.checked ? [...chosen, choice.id] : chosen.filter((one) => one !== choice.id))
              }
            />
            <span>{choice.text}</span>
          </label>
        ))}
        {notes}
      </fieldset>
    )
  }
  return (
    <div className="field">
      <label htmlFor={id}>
        {shown}
        {isMixed && !rule.isRequired && <span className="quiet"> (optional)</span>}
      </label>
      <Input schema={schema} value={value} set={set} props={props} choices={choices} />
      {notes}
    </div>
  )
}

export const FieldProblem = ({
  id,
  text,
  label,
}: {
  id: string
  text: string | undefined
  label: string
}) => (
  <span className="field-problem" id={id} role={text ? 'alert' : undefined}>
    {text && `${label} ${text}`}
  </span>
)

const textOf = (value: unknown): string => (value === undefined || value === null ? '' : String(value))

interface ConflictProps {
  readonly id: string
  readonly conflict: ReturnType<Form<object>['conflictOf']>
  readonly choices?: readonly Choice[] | undefined
}

/** Returns a stored value as the fields show it. */
const storedText = (stored: unknown): string =>
  typeof stored === 'boolean' ? (stored ? 'on' : 'off') : textOf(stored)

/** Says that another administrator has changed a field that the user has changed, too. */
export function FieldConflict({ id, conflict, choices }: ConflictProps) {
  const stored = storedText(conflict?.stored)
  return (
    <span className="field-problem" id={id} role={conflict ? 'alert' : undefined}>
      {conflict && (
        <span>
          {typeof conflict.stored === 'object' && conflict.stored !== null ? (
            'This field was changed while you were editing.'
          ) : stored === '' && !choices ? (
            'This field was cleared while you were editing.'
          ) : (
            <>
              This field was changed to “
              <bdi>{choices?.find(({ id: one }) => one === stored)?.text ?? stored}</bdi>” while you were
              editing.
            </>
          )}{' '}
          Saving overwrites that value.
        </span>
      )}
    </span>
  )
}

interface InputProps {
  readonly schema: Schema
  readonly value: unknown
  readonly set: (value: unknown) => void
  readonly props: { readonly id: string; readonly name: string }
  readonly choices: readonly Choice[] | undefined
}

/** The maximum length of a text that has a single-line input. */
const maxSingleLineLength = 600

function Input({ schema, value, set, props, choices }: InputProps) {
  if (choices) {
    return (
      <select {...props} className="input" value={textOf(value)} onChange={({ target }) => set(target.value)}>
        {choices.map(({ id, text }) => (
          <option key={id} value={id}>
            {text}
          </option>
        ))}
      </select>
    )
  }
  if (schema.enum) {
    return (
      <select
        {...props}
        className="input"
        value={textOf(value)}
        onChange={(event) => set(event.target.value)}
      >
        {value === undefined && <option value="">Choose</option>}
        {schema.enum.map((word) => (
          <option key={word}>{word}</option>
        ))}
      </select>
    )
  }
  if (schema.type === 'integer' || schema.type === 'number') {
    return (
      <input
        {...props}
        className="input"
        type="number"
        inputMode="numeric"
        min={schema.minimum}
        max={schema.maximum}
        value={textOf(value)}
        onChange={(event) => set(event.target.value === '' ? undefined : event.target.valueAsNumber)}
      />
    )
  }
  if (schema.type === 'array') {
    const lines = Array.isArray(value) ? value.join('\n') : ''
    return (
      <textarea
        {...props}
        className="input mono"
        rows={3}
        value={lines}
        placeholder="One per line"
        spellCheck={false}
        onChange={(event) => set(event.target.value === '' ? [] : event.target.value.split('\n'))}
      />
    )
  }
  if (schema.format === 'date-time') {
    return (
      <input
        {...props}
        className="input"
        type="datetime-local"
        value={localText(textOf(value))}
        onChange={(event) => set(instantOf(event.target.value) ?? '')}
      />
    )
  }
  const text = { ...props, className: 'input', value: textOf(value) }
  return (schema.maxLength ?? 0) > maxSingleLineLength && !isAddress(props.name) ? (
    <textarea {...text} rows={3} onChange={(event) => set(event.target.value)} />
  ) : (
    <input {...text} type="text" autoComplete="off" onChange={(event) => set(event.target.value)} />
  )
}

/** Returns true for a field with an address. It has a single line despite its length, because it has no line breaks. */
const isAddress = (name: string): boolean => /ur[li]$/i.test(name)

/** A description from the contract. Text between backticks is shown as code. */
const Prose = ({ text = '' }: { text: string | undefined }) =>
  text.split('`').map((part, at) =>
    at % 2 === 1 ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: they never change.
      <code key={at}>{part}</code>
    ) : (
      part
    ),
  )
