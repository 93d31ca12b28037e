import type { ReactNode } from 'react'
import { Problem } from '../../components/states.tsx'
import { SaveButtons } from '../../forms/save-buttons.tsx'
import type { Form } from '../../forms/use-form.ts'

interface SaveFormProps {
  readonly form: Pick<Form<object>, 'submit' | 'failure' | 'isBusy' | 'isDirty' | 'reset'>
  /** The label of the button that saves. */
  readonly action: string
  /** False if the administrator may only read the fields. */
  readonly mayChange: boolean
  /** True if it has an effect to save the stored values again. */
  readonly maySaveAgain?: boolean
  readonly children: ReactNode
}

/** The form for a part of a project, with its buttons. Without the right to change it, its fields are disabled. */
export const SaveForm = ({ form, action, mayChange, maySaveAgain = false, children }: SaveFormProps) => (
  <form className="stack" onSubmit={form.submit}>
    <fieldset className="stack" disabled={!mayChange}>
      {children}
    </fieldset>
    {form.failure && <Problem error={form.failure} />}
    {mayChange && <SaveButtons form={form} label={action} maySaveAgain={maySaveAgain} />}
  </form>
)
