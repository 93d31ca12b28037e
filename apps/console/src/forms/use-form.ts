import type { Schema } from '@rolecall/contract'
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
import { flushSync } from 'react-dom'
import { useChange } from '../api/queries.ts'
import { confirmLeaving } from '../components/confirm-leaving.ts'
import { forgetDraft, keepDraft, readDraft } from './draft.ts'
import { areEqual, changedOf, conflictsOf, differingKeys, followStored } from './follow-stored.ts'
import { type FormName, partialForms } from './form-bodies.ts'
import { type FieldRule, rulesOf } from './rules.ts'
import { useProblems } from './use-problems.ts'

type Part<Name extends AdminQuestion, Kind extends string> = Kind extends keyof AdminEndpoints[Name]
  ? NonNullable<AdminEndpoints[Name][Kind]>
  : undefined
/** The body of an endpoint for which there is a form. */
export type Body<Name extends FormName> = Part<Name, 'body'> & object
export type FieldKey<Name extends FormName> = keyof Body<Name> & string

interface FormOptions<Name extends FormName, Values> {
  /** The stored values. If they change while the form is open, the fields that the user has not changed follow. */
  readonly initial: Partial<Values>
  /** The path parameters of the call. */
  readonly params?: Part<Name, 'params'>
  /** True if the endpoint replaces the object as a whole, so that the unchanged fields are sent, too. */
  readonly isReplaced?: boolean
  /** True to empty the fields after the service has accepted them, e.g. in a form that adds an entry to a list. */
  readonly isCleared?: boolean
  /** The name under which the input is stored until it is sent. Without it, the input is not stored. */
  readonly draft?: string
  /** Called with the response after the service has accepted the form. */
  readonly onDone: (answer: AdminAnswer<Name>) => void
  /** Called with the problems of the fields after the service has rejected the form. */
  readonly onRefused?: (problems: readonly ProblemDetail[]) => void
}

/** A field, or a place within its value, e.g. `groupNames/<role ID>`. */
type FieldPath<Values> = (keyof Values & string) | `${keyof Values & string}/${string}`

export interface Form<Values extends object> {
  readonly values: Partial<Values>
  readonly rules: ReadonlyMap<string, FieldRule>
  readonly isBusy: boolean
  readonly isDirty: boolean
  /** The error of the service, if no field shows it. */
  readonly failure: RolecallError | undefined
  set<Key extends keyof Values & string>(key: Key, value: Values[Key] | undefined): void
  /** Returns the problem of a field. Undefined until the user has visited the field. */
  problemOf(path: FieldPath<Values>): string | undefined
  /** Returns the stored value of a field that both the user and another administrator have changed. */
  conflictOf(key: keyof Values & string): { readonly stored: unknown } | undefined
  touch(path: FieldPath<Values>): void
  /**
   * Resolves to true if these fields are valid. Otherwise it shows their problems and focuses the first invalid field.
   */
  check(keys: readonly (keyof Values & string)[]): Promise<boolean>
  submit(event?: FormEvent): void
  reset(): void
}

/**
 * Returns a form for the body of an endpoint. It is validated against the contract's schema. Input is not lost: with
 * `draft`, it is stored, and without `draft`, the user must confirm before they leave the page. If the endpoint keeps
 * omitted fields, only the fields that the user has changed are sent.
 */
export const useForm = <Name extends FormName>(
  name: Name,
  options: FormOptions<Name, Body<Name>>,
): Form<Body<Name>> => useSchemaForm(name, undefined, options)

type PartOfBody<Name extends FormName, At extends FieldKey<Name>> = NonNullable<Body<Name>[At]> & object

/** Returns a form for one object in the body of an endpoint. The request contains no other part of the body. */
export const usePartForm = <Name extends FormName, At extends FieldKey<Name>>(
  name: Name,
  at: At,
  options: FormOptions<Name, PartOfBody<Name, At>>,
): Form<PartOfBody<Name, At>> => useSchemaForm(name, at, options)

function useSchemaForm<Name extends FormName, Values extends object>(
  name: Name,
  at: string | undefined,
  {
    initial,
    params,
    isReplaced = false,
    isCleared = false,
    draft,
    onDone,
    onRefused,
  }: FormOptions<Name, Values>,
): Form<Values> {
  const [followed, setFollowed] = useState(initial)
  const [unchanged, setUnchanged] = useState(initial)
  const [values, setValues] = useState<Partial<Values>>(() => ({
    ...initial,
    ...(draft !== undefined && (readDraft(draft) as Partial<Values>)),
  }))
  const [conflicts, setConflicts] = useState<readonly string[]>([])
  const change = useChange(name)
  // While a change runs, the stored values can already be those that it saves. The form then follows after it.
  if (!change.isPending && !areEqual(followed, initial)) {
    setFollowed(initial)
    setUnchanged(initial)
    setValues(followStored(values, unchanged, initial))
    setConflicts([...conflicts, ...conflictsOf(values, unchanged, initial)])
  }
  const [touched, setTouched] = useState<ReadonlySet<string>>(new Set())
  const [serviceProblems, setServiceProblems] = useState<readonly ProblemDetail[]>([])
  const isDone = useRef(false)
  const isSending = useRef(false)
  const rules = useMemo(() => rulesOf(name, at), [name, at])
  const body = useMemo(() => {
    const isPartial = partialForms.has(name) && !isReplaced
    const own = bodyOf(isPartial ? changedOf(values, unchanged) : values, rules, isPartial)
    return at === undefined ? own : { [at]: own }
  }, [name, values, unchanged, rules, at, isReplaced])
  const { problems, load } = useProblems(name, body)
  const isDirty = differingKeys(values, unchanged).length > 0

  useEffect(() => {
    if (draft !== undefined && isDirty) keepDraft(draft, values)
  }, [draft, isDirty, values])
  useBlocker({
    shouldBlockFn: (leaving) =>
      !isDone.current &&
      isDirty &&
      draft === undefined &&
      !confirmLeaving(leaving, 'Leave without saving? Your changes will be lost.'),
    enableBeforeUnload: () => !isDone.current && isDirty,
  })

  const isAtField = ({ path }: ProblemDetail, key: string) => {
    const own = at === undefined ? `/${key}` : `/${at}/${key}`
    return path === own || path.startsWith(`${own}/`)
  }
  const isTouched = (key: string) =>
    [...touched].some((touchedKey) => key === touchedKey || key.startsWith(`${touchedKey}/`))
  const problemOf = (key: string) =>
    serviceProblems.find((problem) => isAtField(problem, key))?.message ??
    (isTouched(key) ? problems.find((problem) => isAtField(problem, key))?.message : undefined)
  const problemsWithoutField = serviceProblems.filter(
    (problem) => ![...rules.keys()].some((key) => isAtField(problem, key)),
  )
  const check = async (keys: readonly string[]) => {
    const problemsOf = await load()
    // Renders the marks of the invalid fields at once, because `focusFirstProblem` looks for them.
    flushSync(() => setTouched((before) => new Set([...before, ...keys])))
    const isValid = !problemsOf(name, body).some((problem) => keys.some((key) => isAtField(problem, key)))
    if (!isValid) focusFirstProblem()
    return isValid
  }
  const send = async () => {
    if (isSending.current) return
    isSending.current = true
    if (!(await check([...rules.keys()]))) {
      isSending.current = false
      return
    }
    setServiceProblems([])
    // The cast is safe: `check` has validated the body against the contract's schema.
    change.mutate({ params, body } as unknown as AdminInput<Name>, {
      onSuccess: (answer) => {
        isDone.current = true
        if (isCleared) {
          // Keeps what was typed while the request was running.
          setValues((now) => followStored(now, values, unchanged))
          setTouched(new Set())
        } else setUnchanged((now) => ({ ...now, ...changedOf(values, unchanged) }))
        setConflicts([])
        if (draft !== undefined) forgetDraft(draft)
        onDone(answer)
        isDone.current = false
      },
      onError: ({ errors }) => {
        setServiceProblems(errors)
        onRefused?.(errors)
        if (errors.length > 0) focusFirstProblem()
      },
      onSettled: () => {
        isSending.current = false
      },
    })
  }

  return {
    values,
    rules,
    isBusy: change.isPending,
    isDirty,
    failure:
      change.error && (serviceProblems.length === 0 || problemsWithoutField.length > 0)
        ? change.error
        : undefined,
    problemOf,
    conflictOf: (key) =>
      conflicts.includes(key) && !areEqual(values[key], unchanged[key])
        ? { stored: unchanged[key] }
        : undefined,
    check,
    set: (key, value) => {
      void load()
      if (areEqual(value, unchanged[key])) setConflicts((before) => before.filter((one) => one !== key))
      if (change.isError) change.reset()
      setServiceProblems((before) => before.filter((problem) => !isAtField(problem, key)))
      setValues((before) => ({ ...before, [key]: value }))
    },
    touch: (key) => {
      void load()
      setTouched((before) => (before.has(key) ? before : new Set([...before, key])))
    },
    submit: (event) => {
      event?.preventDefault()
      void send()
    },
    reset: () => {
      setValues(unchanged)
      setConflicts([])
      setTouched(new Set())
      setServiceProblems([])
      if (change.isError) change.reset()
      if (draft !== undefined) forgetDraft(draft)
    },
  }
}

/**
 * Returns the body to send. A cleared field becomes null if the schema allows null. Otherwise it is left out, unless it
 * is required, or the endpoint keeps omitted fields: it would seem to be saved, so it is sent, and reported as a
 * problem. Lists of texts are sent without blank lines and without spaces around the entries.
 */
export function bodyOf(
  values: object,
  rules: ReadonlyMap<string, FieldRule>,
  isPartial = false,
): Record<string, unknown> {
  const entries = Object.entries(values).flatMap(([key, value]): [string, unknown][] => {
    const rule = rules.get(key)
    if (value === undefined || !rule) return []
    if (value !== '') return [[key, withoutBlanks(value, rule.schema)]]
    return rule.isNullable ? [[key, null]] : rule.isRequired || isPartial ? [[key, '']] : []
  })
  return Object.fromEntries(entries)
}

function withoutBlanks(value: unknown, { items, properties = {} }: Schema): unknown {
  if (Array.isArray(value) && items?.type === 'string')
    return value.map((entry: string) => entry.trim()).filter((entry) => entry !== '')
  if (typeof value !== 'object' || value === null) return value
  const lists = Object.entries(value).filter(([key]) => properties[key]?.type === 'array')
  const entries = lists.map(([key, list]) => [key, withoutBlanks(list, properties[key] ?? {})] as const)
  return entries.length === 0 ? value : { ...value, ...Object.fromEntries(entries) }
}

/** Moves the focus to the first invalid field. */
export function focusFirstProblem(): void {
  // Waits for the next frame, in which React has marked the field.
  requestAnimationFrame(() => {
    document.querySelector<HTMLElement>('form [aria-invalid="true"]')?.focus()
  })
}
