interface Leaving {
  readonly current: { readonly pathname: string }
  readonly next: { readonly pathname: string }
}

/** The question that the user has confirmed during the current navigation. */
let confirmed: string | undefined

/**
 * Asks whether the user wants to leave the page, and returns the answer. Filters and pages of a list do not leave it.
 * If several parts of a page ask the same question, the user answers it once.
 */
export function confirmLeaving({ current, next }: Leaving, question: string): boolean {
  if (current.pathname === next.pathname || confirmed === question) return true
  if (!confirm(question)) return false
  confirmed = question
  setTimeout(() => {
    confirmed = undefined
  })
  return true
}
