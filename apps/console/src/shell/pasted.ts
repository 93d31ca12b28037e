/** The length of a key's visible prefix: `rck_` and eight characters. */
const prefixLength = 12

/** An identifier in a search, usually pasted from a log: the ID of a member or a project, or a key or its prefix. */
export interface Pasted {
  readonly kind: 'member' | 'project' | 'key'
  /** The ID, or the visible prefix of a key, but never more of the key. */
  readonly id: string
}

/**
 * Returns the identifier in a text. Undefined for any other text, which is then searched as a name. Other credentials
 * also count as keys, so that they are never searched as names. No key matches them.
 */
export function pastedIn(text: string): Pasted | undefined {
  if (/^rc[a-z]_/.test(text)) return { kind: 'key', id: text.slice(0, prefixLength) }
  if (/^[1-9]\d{16,19}$/.test(text)) return { kind: 'member', id: text }
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)) {
    return { kind: 'project', id: text.toLowerCase() }
  }
  return undefined
}

/**
 * Returns the matches of a text: first exact matches, then names that begin with it, then names that contain it. An ID
 * matches only as a whole.
 */
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
