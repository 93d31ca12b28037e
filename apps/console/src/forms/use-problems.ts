import type { ProblemDetail } from '@rolecall/sdk/admin'
import { useCallback, useMemo, useState } from 'react'
import type { FormName } from './form-bodies.ts'

type Check = (name: FormName, body: unknown) => readonly ProblemDetail[]

let loaded: Check | undefined

/** Loads the validator. If its file is missing, for example after a release, only the service checks the input. */
async function loadCheck(): Promise<Check> {
  try {
    loaded ??= (await import('./problems.ts')).problemsOf
    return loaded
  } catch {
    return () => []
  }
}

/**
 * Returns the problems of a form's body. The validator is loaded when the form is first touched. Until then, there are
 * none.
 */
export function useProblems(name: FormName, body: unknown) {
  const [check, setCheck] = useState(() => loaded)
  const problems = useMemo(() => check?.(name, body) ?? [], [check, name, body])
  const load = useCallback(async () => {
    const found = await loadCheck()
    setCheck(() => found)
    return found
  }, [])
  return { problems, load }
}
