import { logoTypes, maxLogoBytes, maxLogoSide, textColorOn } from '@rolecall/contract'
import type { Project } from '@rolecall/sdk/admin'
import { type ChangeEvent, useId, useState } from 'react'
import { useChange } from '../../api/queries.ts'
import { Button } from '../../components/button.tsx'
import { Panel } from '../../components/page.tsx'
import { Problem } from '../../components/states.tsx'
import { useToast } from '../../components/toast.tsx'
import { Fields } from '../../forms/fields.tsx'
import { usePartForm } from '../../forms/use-form.ts'
import { useMayManage } from '../../shell/profile.ts'
import { SaveForm } from './save-form.tsx'
import './branding.css'

/** The form for the appearance of a project on the pages that members see. */
export const BrandingPanel = ({ project }: { project: Project }) => (
  <Panel title="Branding" note="Members see the logo and the color when they sign in to the project.">
    <div className="stack">
      <Logo project={project} />
      <AccentColor project={project} />
    </div>
  </Panel>
)

const isColor = (text: string | null | undefined): text is string => /^#[0-9a-f]{6}$/i.test(text ?? '')

function AccentColor({ project }: { project: Project }) {
  const say = useToast()
  const mayManage = useMayManage(project.id)
  const form = usePartForm('updateProject', 'branding', {
    initial: { accentColor: project.branding.accentColor ?? '' },
    params: { id: project.id },
    onDone: () => say('The color is saved.'),
  })
  const { accentColor } = form.values
  return (
    <SaveForm form={form} action="Save color" mayChange={mayManage}>
      <div className="branding-color">
        <Fields
          form={form}
          keys={['accentColor']}
          labels={{ accentColor: 'Accent color' }}
          helps={{ accentColor: 'For example, #0b57b7. Leave it empty for the default color.' }}
        />
        {mayManage && (
          <input
            type="color"
            aria-label="Pick the accent color"
            value={isColor(accentColor) ? accentColor.toLowerCase() : '#4a48d4'}
            onChange={({ target }) => form.set('accentColor', target.value)}
          />
        )}
        {isColor(accentColor) && (
          <span
            className="branding-sample"
            style={{ background: accentColor, color: textColorOn(accentColor) }}
            aria-hidden="true"
          >
            Sign in
          </span>
        )}
      </div>
    </SaveForm>
  )
}

const maxKiB = maxLogoBytes / 1024

function Logo({
  project: {
    id,
    name,
    branding: { hasLogo },
    updatedAt,
  },
}: {
  project: Project
}) {
  const inputId = useId()
  const say = useToast()
  const mayManage = useMayManage(id)
  const upload = useChange('setLogo')
  const remove = useChange('removeLogo')
  const [problem, setProblem] = useState<string>()
  const choose = ({ target }: ChangeEvent<HTMLInputElement>) => {
    const file = target.files?.[0]
    // Clears the field. Otherwise, the browser would report no change if the user corrects the file and chooses it
    // again.
    target.value = ''
    if (!file) return
    upload.reset()
    remove.reset()
    const isTooLarge = file.size > maxLogoBytes
    setProblem(isTooLarge ? `This file is larger than ${maxKiB} KiB. Choose a smaller file.` : undefined)
    if (isTooLarge) return
    upload.mutate({ params: { id }, body: file }, { onSuccess: () => say('The logo is saved.') })
  }
  const error = upload.error ?? remove.error
  return (
    <div className="field">
      <label htmlFor={mayManage ? inputId : undefined}>Logo</label>
      <div className="branding-logo">
        {hasLogo ? (
          // The address contains the time of the last change, so the browser fetches the image again after a change.
          <img
            src={`/api/projects/${id}/logo?v=${Date.parse(updatedAt)}`}
            alt={`Logo of ${name}`}
            width={64}
            height={64}
          />
        ) : (
          <span className="quiet">No logo</span>
        )}
        {mayManage && (
          <input
            id={inputId}
            type="file"
            accept={logoTypes.join()}
            onChange={choose}
            disabled={upload.isPending}
            aria-invalid={problem !== undefined}
            aria-describedby={`${inputId}-help ${inputId}-problem`}
          />
        )}
        {mayManage && hasLogo && (
          <Button
            kind="danger"
            isBusy={remove.isPending}
            onClick={() => {
              upload.reset()
              remove.mutate({ params: { id } }, { onSuccess: () => say('The logo is removed.') })
            }}
          >
            Remove logo
          </Button>
        )}
      </div>
      <span className="field-help" id={`${inputId}-help`}>
        PNG or WebP, at most {maxKiB} KiB and {maxLogoSide} × {maxLogoSide} pixels, not animated.
      </span>
      <span className="field-problem" id={`${inputId}-problem`} role={problem ? 'alert' : undefined}>
        {problem}
      </span>
      {error && <Problem error={error} />}
    </div>
  )
}
