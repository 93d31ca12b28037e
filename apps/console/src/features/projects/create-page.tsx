import type { AdminAnswer } from '@rolecall/sdk/admin'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { ask } from '../../api/admin.ts'
import { queryClient } from '../../api/queries.ts'
import { Button } from '../../components/button.tsx'
import { Page as PageFrame } from '../../components/page.tsx'
import { Forbidden, Problem } from '../../components/states.tsx'
import { useFilters, withFilters } from '../../components/use-filters.ts'
import { forgetDraft, useDraft } from '../../forms/draft.ts'
import { focusFirstProblem, useForm } from '../../forms/use-form.ts'
import { useMayChange } from '../../shell/profile.ts'
import {
  AddressesStep,
  type Chosen,
  KindStep,
  type NewProjectForm,
  ReviewStep,
  ServersStep,
} from './create-steps.tsx'
import { CreatedProject } from './created-project.tsx'
import { kindOf } from './kinds.ts'
import { areUrisGood, goodUris } from './redirect-uris.tsx'
import './create.css'

type Created = AdminAnswer<'createProject'>

const steps = ['Basics', 'Addresses', 'Servers', 'Review'] as const
const draft = 'new-project'
const ownDraft = 'new-project-more'

const title = 'New project'
const up = { to: '/projects', text: 'Projects' }

/** The page on which System Admins create a project. */
export const Page = () =>
  useMayChange() ? (
    <CreateProject />
  ) : (
    <PageFrame title={title} guide="first-project" up={up} width="narrow">
      <Forbidden />
    </PageFrame>
  )

/** Creates a project step by step: its kind, its addresses, and its servers. At the end, it shows the key once. */
function CreateProject() {
  const [created, setCreated] = useState<{
    answer: Created
    redirects: readonly string[]
    failure?: unknown
  }>()
  const [chosen, choose] = useDraft<Chosen>(ownDraft, { kind: 'site', redirects: '', stack: 'next' })
  const kind = kindOf(chosen.kind)
  const form: NewProjectForm = useForm('createProject', {
    initial: { name: '' },
    draft,
    onDone: async (answer) => {
      const redirects = kind.asks === 'redirects' ? goodUris(chosen.redirects) : []
      setCreated({ answer, redirects, failure: await saveRedirects(answer, redirects) })
      forgetDraft(ownDraft)
    },
    onRefused: (problems) => {
      const isAt = (field: string) => problems.some(({ path }) => path.startsWith(field))
      if (isAt('/name') || isAt('/description')) go(1)
      else if (isAt('/forwardAuth')) go(2)
    },
  })
  const [filters] = useFilters()
  const navigate = useNavigate()
  const step = Math.min(steps.length, Math.max(1, Number(filters['step'] ?? 1) || 1))
  // Adds an entry to the history, so that the browser’s back button returns to the step before.
  const go = (to: number) =>
    void navigate({
      to: '.',
      search: withFilters({ step: to === 1 ? undefined : String(to) }),
      resetScroll: false,
    })
  const stepTitle = useRef<HTMLHeadingElement>(null)
  const seen = useRef(step)
  useEffect(() => {
    if (seen.current !== step) stepTitle.current?.focus()
    seen.current = step
  }, [step])

  if (created) return <CreatedProject {...created} kind={kind} stack={chosen.stack} />
  const areAddressesGood = async () => {
    if (kind.asks === 'hosts') return form.check(['forwardAuth'])
    if (kind.asks === 'nothing' || areUrisGood(chosen.redirects)) return true
    focusFirstProblem()
    return false
  }
  const next = async (event: FormEvent) => {
    event.preventDefault()
    if (step === 1 && !(await form.check(['name', 'description']))) return
    if (step === 2 && !(await areAddressesGood())) return
    if (step < steps.length) return go(step + 1)
    // A link can open this page at a later step, so the required fields of the first step are checked here again.
    if (!(await form.check(['name', 'description']))) return go(1)
    if (!(await areAddressesGood())) return go(2)
    form.submit()
  }
  const part = { form, chosen, choose, kind }
  return (
    <PageFrame title={title} guide="first-project" up={up} width="narrow">
      <ol className="steps" aria-label="Steps">
        {steps.map((text, at) => (
          <li
            key={text}
            aria-current={at + 1 === step ? 'step' : undefined}
            data-done={at + 1 < step || undefined}
          >
            <span aria-hidden="true">{at + 1}</span>
            {text}
          </li>
        ))}
      </ol>
      <form className="panel" onSubmit={next} noValidate>
        <div className="panel-body stack">
          <h2 tabIndex={-1} ref={stepTitle}>
            {steps[step - 1]}
          </h2>
          {step === 1 && <KindStep {...part} />}
          {step === 2 && <AddressesStep {...part} />}
          {step === 3 && <ServersStep {...part} />}
          {step === 4 && <ReviewStep {...part} onEdit={go} />}
          {form.failure && <Problem error={form.failure} />}
          <div className="form-actions">
            {step > 1 && <Button onClick={() => go(step - 1)}>Back</Button>}
            <Button kind="main" type="submit" isBusy={form.isBusy}>
              {step === steps.length ? 'Create project' : 'Next'}
            </Button>
          </div>
        </div>
      </form>
    </PageFrame>
  )
}

/**
 * Saves the redirect URIs after the project was created. Returns the error of a failure, which the page shows next to
 * the key. It must not replace the key, which is shown only once.
 */
async function saveRedirects({ project }: Created, redirects: readonly string[]): Promise<unknown> {
  if (redirects.length === 0) return undefined
  try {
    await ask('setRedirectUris', { params: { id: project.id }, body: { redirectUri: redirects.join(',') } })
    return undefined
  } catch (failure) {
    return failure
  } finally {
    void queryClient.invalidateQueries()
  }
}
