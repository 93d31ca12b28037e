import { useEffect, useState } from 'react'

/** The fields with credentials. Their values are never stored in the browser. */
const secretFields = new Set(['webhookUrl', 'apiKey', 'secret', 'token'])

const keyOf = (name: string) => `rolecall-draft:${name}`

/** Stores the input of a form until the tab is closed. It survives a reload and a login. */
export function keepDraft(name: string, values: object): void {
  const kept = Object.entries(values).filter(([key]) => !secretFields.has(key))
  try {
    sessionStorage.setItem(keyOf(name), JSON.stringify(Object.fromEntries(kept)))
  } catch {
    // The browser does not allow storage. The form itself still has the input.
  }
}

/** Returns the stored input of a form. Empty if there is none. */
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

/** Deletes the drafts of all forms. */
export const forgetDrafts = (): void => {
  try {
    for (const key of Object.keys(sessionStorage))
      if (key.startsWith(keyOf(''))) sessionStorage.removeItem(key)
  } catch {
    // There is nothing to forget.
  }
}

/** Returns a value that belongs to no form, and its setter. The value is stored in the same way. */
export function useDraft<Value extends object>(name: string, initial: Value) {
  const [value, setValue] = useState<Value>(() => ({ ...initial, ...readDraft(name) }))
  useEffect(() => keepDraft(name, value), [name, value])
  return [value, (changes: Partial<Value>) => setValue((before) => ({ ...before, ...changes }))] as const
}
