import { Problem } from '../../components/states.tsx'
import { SaveButtons } from '../../forms/save-buttons.tsx'
import type { Form } from '../../forms/use-form.ts'
import { useMayChange } from '../../shell/profile.ts'

/** The last row of a form that only a System Admin can save: its buttons. */
export function SaveRow<Values extends object>({ form, action }: { form: Form<Values>; action: string }) {
  const mayChange = useMayChange()
  return (
    <>
      {form.failure && <Problem error={form.failure} />}
      {mayChange && <SaveButtons form={form} label={action} />}
    </>
  )
}
