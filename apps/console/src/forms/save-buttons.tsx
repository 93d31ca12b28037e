import { Button } from '../components/button.tsx'
import type { Form } from './use-form.ts'

/** The buttons of a form for an existing object: they save or undo the changes. */
export const SaveButtons = ({
  form,
  label,
}: {
  form: Pick<Form<object>, 'isBusy' | 'isDirty' | 'reset'>
  label: string
}) => (
  <div className="form-actions">
    <Button kind="main" type="submit" isBusy={form.isBusy} disabled={!form.isDirty}>
      {label}
    </Button>
    {form.isDirty && <Button onClick={form.reset}>Undo</Button>}
  </div>
)
