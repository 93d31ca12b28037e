import type {
  AdminAnswer,
  AdminEndpoints,
  AdminInput,
  AdminQuestion,
  ProblemDetail,
  RolecallError,
} from '@rolecall/sdk/admin'
import { useBlocker } from '@tanstack/react-router'
import { type FormEvent, useEffect, useMemo, useRef, useState } from 'react'
import { useChange } from '../api/queries.ts'
import { forgetDraft, keepDraft, readDraft } from './draft.ts'
import { type FieldRule, problemsOf, rulesOf } from './schema.ts'

/** Endpoints that take a body, and what may stand in it. */
export type FormName = {
  [Name in AdminQuestion]: 'body' extends keyof AdminEndpoints[Name] ? Name : never
}[AdminQuestion]
type Part<Name extends AdminQuestion, Kind extends string> = Kind extends keyof AdminEndpoints[Name]
  ? NonNullable<AdminEndpoints[Name][Kind]>
  : undefined
export type Body<Name extends FormName> = Part<Name, 'body'> & object
export type FieldKey<Name extends FormName> = keyof Body<Name> & string

interface FormOptions<Name extends FormName, Values> {
  readonly initial: Partial<Values>
  /** The rest of the call: what it is about. */
  readonly params?: Part<Name, 'params'>
  /** Under which name what was typed is kept until it is sent; without it nothing is. */
  readonly draft?: string
  /** Called with the answer, when the service has taken it. */
  readonly onDone: (answer: AdminAnswer<Name>) => void
}

/** A field, or a place within its value: `groupNames/<role ID>`. */
type FieldPath<Values> = (keyof Values & string) | `${keyof Values & string}/${string}`

export interface Form<Values extends object> {
  readonly values: Partial<Values>
  readonly rules: ReadonlyMap<string, FieldRule>
  readonly isBusy: boolean
  readonly isDirty: boolean
  /** Why the service refused, where no field says so. */
  readonly failure: RolecallError | undefined
  set<Key extends keyof Values & string>(key: Key, value: Values[Key] | undefined): void
  /** What is wrong with a field, once somebody has been there. */
  problemOf(path: FieldPath<Values>): string | undefined
  touch(path: FieldPath<Values>): void
  /** True where nothing is wrong with these fields; shows what is, and goes to the first. */
  check(keys: readonly (keyof Values & string)[]): boolean
  submit(event?: FormEvent): void
  reset(): void
}

/** A form over the contract's schema of an endpoint's body. What was typed is never lost: leaving asks, drafts stay. */
export const useForm = <Name extends FormName>(
  name: Name,
  options: FormOptions<Name, Body<Name>>,
): Form<Body<Name>> => useSchemaForm(name, undefined, options)

type PartOfBody<Name extends FormName, At extends FieldKey<Name>> = NonNullable<Body<Name>[At]> & object

/** A form over one object in the body of an endpoint; the rest of the body is left out. */
export const usePartForm = <Name extends FormName, At extends FieldKey<Name>>(
  name: Name,
  at: At,
  options: FormOptions<Name, PartOfBody<Name, At>>,
): Form<PartOfBody<Name, At>> => useSchemaForm(name, at, options)

function useSchemaForm<Name extends FormName, Values extends object>(
  name: Name,
  at: string | undefined,
  { initial, params, draft, onDone }: FormOptions<Name, Values>,
): Form<Values> {
  const first = useRef(initial)
  const [values, setValues] = useState<Partial<Values>>(() => ({
    ...initial,
    ...(draft !== undefined && (readDraft(draft) as Partial<Values>)),
  }))
  const [touched, setTouched] = useState<ReadonlySet<string>>(new Set())
  const [refused, setRefused] = useState<readonly ProblemDetail[]>([])
  const isDone = useRef(false)
  const change = useChange(name)
  const rules = useMemo(() => rulesOf(name, at), [name, at])
  const body = useMemo(() => {
    const own = bodyOf(values, rules)
    return at === undefined ? own : { [at]: own }
  }, [values, rules, at])
  const problems = useMemo(() => problemsOf(name, body), [name, body])
  const isDirty = JSON.stringify(values) !== JSON.stringify(first.current)

  useEffect(() => {
    if (draft !== undefined && isDirty) keepDraft(draft, values)
  }, [draft, isDirty, values])
  useBlocker({
    shouldBlockFn: () =>
      !isDone.current &&
      isDirty &&
      draft === undefined &&
      !confirm('Leave without saving? What you changed here is lost.'),
    enableBeforeUnload: () => !isDone.current && isDirty,
  })

  const isOf = ({ path }: ProblemDetail, key: string) => {
    const own = at === undefined ? `/${key}` : `/${at}/${key}`
    return path === own || path.startsWith(`${own}/`)
  }
  const isTouched = (key: string) => [...touched].some((one) => key === one || key.startsWith(`${one}/`))
  const problemOf = (key: string) =>
    refused.find((one) => isOf(one, key))?.message ??
    (isTouched(key) ? problems.find((one) => isOf(one, key))?.message : undefined)
  const fieldless = refused.filter((one) => ![...rules.keys()].some((key) => isOf(one, key)))
  const check = (keys: readonly string[]) => {
    setTouched((before) => new Set([...before, ...keys]))
    const isGood = !problems.some((one) => keys.some((key) => isOf(one, key)))
    if (!isGood) focusFirstProblem()
    return isGood
  }

  return {
    values,
    rules,
    isBusy: change.isPending,
    isDirty,
    failure: change.error && (refused.length === 0 || fieldless.length > 0) ? change.error : undefined,
    problemOf,
    check,
    set: (key, value) => {
      setRefused((before) => before.filter((one) => !isOf(one, key)))
      setValues((before) => ({ ...before, [key]: value }))
    },
    touch: (key) => setTouched((before) => (before.has(key) ? before : new Set([...before, key]))),
    submit: (event) => {
      event?.preventDefault()
      if (change.isPending || !check([...rules.keys()])) return
      setRefused([])
      // Checked just above, by the contract's own schema.
      change.mutate({ params, body } as unknown as AdminInput<Name>, {
        onSuccess: (answer) => {
          isDone.current = true
          first.current = values
          if (draft !== undefined) forgetDraft(draft)
          onDone(answer)
          isDone.current = false
        },
        onError: ({ errors }) => {
          setRefused(errors)
          if (errors.length > 0) focusFirstProblem()
        },
      })
    },
    reset: () => {
      setValues(first.current)
      setTouched(new Set())
      setRefused([])
      if (draft !== undefined) forgetDraft(draft)
    },
  }
}

/** What is sent: a field that was cleared is null where that clears, and left out where it was never needed. */
export function bodyOf(values: object, rules: ReadonlyMap<string, FieldRule>): Record<string, unknown> {
  const entries = Object.entries(values).flatMap(([key, value]): [string, unknown][] => {
    const rule = rules.get(key)
    if (value === undefined || !rule) return []
    if (value !== '') return [[key, value]]
    return rule.isNullable ? [[key, null]] : rule.isRequired ? [[key, '']] : []
  })
  return Object.fromEntries(entries)
}

/** Goes to the first field that is marked. */
export function focusFirstProblem(): void {
  // After React has marked it.
  requestAnimationFrame(() => {
    document.querySelector<HTMLElement>('form [aria-invalid="true"]')?.focus()
  })
}
