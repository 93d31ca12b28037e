/** `rck_` and eight characters: what is shown of a key. */
const prefixLength = 12

/** What somebody pastes from a log: the id of a member or a project, or a key or its beginning. */
export interface Pasted {
  readonly kind: 'member' | 'project' | 'key'
  /** Of a key only what is shown of it anyway. */
  readonly id: string
}

/** What is no id of anything is looked for by name. Other credentials are of a kind that nothing has. */
export function pastedIn(text: string): Pasted | undefined {
  if (/^rc[a-z]_/.test(text)) return { kind: 'key', id: text.slice(0, prefixLength) }
  if (/^[1-9]\d{16,19}$/.test(text)) return { kind: 'member', id: text }
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)) {
    return { kind: 'project', id: text.toLowerCase() }
  }
  return undefined
}

/** What is called exactly so comes first, then what begins so, then what has it elsewhere; an id is meant alone. */
export function exactFirst<Named extends { readonly id: string; readonly name: string }>(
  all: readonly Named[],
  typed: string,
): readonly Named[] {
  const wanted = typed.trim().toLowerCase()
  if (wanted === '') return all
  const rank = ({ id, name }: Named) => {
    const given = name.toLowerCase()
    return id === wanted || given === wanted
      ? 0
      : given.startsWith(wanted)
        ? 1
        : given.includes(wanted)
          ? 2
          : 3
  }
  return all.filter((one) => rank(one) < 3).toSorted((a, b) => rank(a) - rank(b))
}
