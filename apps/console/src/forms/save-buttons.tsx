import { Button } from '../components/button.tsx'
import type { Form } from './use-form.ts'

/** The buttons of a form for an existing object: they save or undo the changes. */
export const SaveButtons = ({
  form,
  label,
  maySaveAgain = false,
}: {
  form: Pick<Form<object>, 'isBusy' | 'isDirty' | 'reset'>
  label: string
  /** True if it has an effect to save the stored values again. */
  maySaveAgain?: boolean
}) => (
  <div className="form-actions">
    <Button kind="main" type="submit" isBusy={form.isBusy} disabled={!form.isDirty && !maySaveAgain}>
      {label}
    </Button>
    {form.isDirty && <Button onClick={form.reset}>Undo</Button>}
  </div>
)
