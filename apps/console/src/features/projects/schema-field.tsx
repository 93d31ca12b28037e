import { lazy, Suspense, useId, useState } from 'react'
import { Skeleton } from '../../components/states.tsx'
import { FieldConflict, FieldProblem } from '../../forms/fields.tsx'
import { areEqual } from '../../forms/follow-stored.ts'
import type { Body, Form } from '../../forms/use-form.ts'
import { fileOf } from '../../shell/page-file.tsx'

/** The form of a new or an existing webhook: both have the same fields. */
export type AnyWebhookForm = Form<Body<'updateWebhook'>>

const SchemaEditor = lazy(fileOf(() => import('./schema-editor.tsx')))
/** True on a touch screen, which starts with a plain field, because a rich editor is hard to use by touch. */
const isTouch = matchMedia('(pointer: coarse)').matches

interface SchemaFieldProps {
  readonly form: AnyWebhookForm
  readonly onJson: (isJson: boolean) => void
}

/**
 * A JSON field. While its text is not valid JSON, the form has no schema, so that a stored schema does not replace it.
 */
export function SchemaField({ form, onJson }: SchemaFieldProps) {
  const id = useId()
  const [text, setText] = useState(() => JSON.stringify(form.values.schema, null, 2))
  const [mistake, setMistake] = useState<string>()
  const [isPlain, setPlain] = useState(isTouch)
  const [shown, setShown] = useState(form.values.schema)
  const [editor, setEditor] = useState(0)
  if (form.values.schema !== undefined && !areEqual(shown, form.values.schema)) {
    // The stored schema has changed, and the form has adopted it. The editor reads its text only when it starts.
    setShown(form.values.schema)
    setEditor(editor + 1)
    setText(JSON.stringify(form.values.schema, null, 2))
  }
  const problem = mistake ?? form.problemOf('schema')
  const change = (next: string) => {
    setText(next)
    const read = parse(next)
    setMistake('problem' in read ? read.problem : undefined)
    onJson(!('problem' in read))
    const value = 'problem' in read ? undefined : read.value
    if (value) setShown(value)
    form.set('schema', value)
  }
  return (
    <div className="field">
      {isPlain ? <label htmlFor={id}>Schema</label> : <span className="field-label">Schema</span>}
      {isPlain ? (
        <textarea
          id={id}
          className="input mono"
          rows={10}
          spellCheck={false}
          value={text}
          onChange={({ target }) => change(target.value)}
          aria-invalid={problem !== undefined}
          aria-describedby={`${id}-help ${id}-problem ${id}-conflict`}
        />
      ) : (
        <Suspense fallback={<Skeleton rows={1} height={240} />}>
          <SchemaEditor key={editor} text={text} onChange={change} />
        </Suspense>
      )}
      <span className="field-help" id={`${id}-help`}>
        JSON Schema 2020-12 for submissions, checked as you type.
      </span>
      <label className="check">
        <input type="checkbox" checked={isPlain} onChange={({ target }) => setPlain(target.checked)} />
        As plain text
      </label>
      <FieldProblem id={`${id}-problem`} text={problem} label="The schema" />
      <FieldConflict id={`${id}-conflict`} conflict={form.conflictOf('schema')} />
    </div>
  )
}

function parse(
  text: string,
): { readonly value: Readonly<Record<string, unknown>> } | { readonly problem: string } {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { value: { ...value } }
    return { problem: 'must be an object' }
  } catch (error) {
    return { problem: `is not valid JSON: ${error instanceof Error ? error.message : 'it cannot be read'}` }
  }
}
