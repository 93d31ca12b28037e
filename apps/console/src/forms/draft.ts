import { useEffect, useState } from 'react'

/** Values of these fields are credentials, or hold one: they are never kept in the browser. */
const secretFields = new Set(['webhookUrl', 'apiKey', 'secret', 'token'])

const keyOf = (name: string) => `rolecall-draft:${name}`

/** Keeps what was typed for as long as the tab lives, also over a login that comes in between. */
export function keepDraft(name: string, values: object): void {
  const kept = Object.entries(values).filter(([key]) => !secretFields.has(key))
  try {
    sessionStorage.setItem(keyOf(name), JSON.stringify(Object.fromEntries(kept)))
  } catch {
    // A browser that keeps nothing: the form still has it.
  }
}

export function readDraft(name: string): object {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(keyOf(name)) ?? '{}')
    return typeof kept === 'object' && kept !== null ? kept : {}
  } catch {
    return {}
  }
}

export const forgetDraft = (name: string): void => {
  try {
    sessionStorage.removeItem(keyOf(name))
  } catch {
    // There is nothing to forget.
  }
}

/** Those of every form. */
export const forgetDrafts = (): void => {
  try {
    for (const key of Object.keys(sessionStorage))
      if (key.startsWith(keyOf(''))) sessionStorage.removeItem(key)
  } catch {
    // There is nothing to forget.
  }
}

/** A value beside a form's own that is kept like it. */
export function useDraft<Value extends object>(name: string, initial: Value) {
  const [value, setValue] = useState<Value>(() => ({ ...initial, ...readDraft(name) }))
  useEffect(() => keepDraft(name, value), [name, value])
  return [value, (changes: Partial<Value>) => setValue((before) => ({ ...before, ...changes }))] as const
}
