/** A statement. `text` refers to `values` by `$1`, `$2`, and so on. */
export interface Sql {
  readonly text: string
  readonly values: readonly unknown[]
  /** See `replanned`. */
  readonly isReplanned?: true
}

const texts = new WeakMap<TemplateStringsArray, string>()
const isSql = (value: unknown): value is Sql =>
  typeof value === 'object' && value !== null && 'text' in value && 'values' in value

/**
 * Builds a statement from a template. Each interpolated value becomes a parameter, so no value can change the
 * statement. An interpolated `Sql` is inserted with its own parameters. Without one, a template always has the same
 * text, so that the database can reuse its plan.
 */
export function sql(strings: TemplateStringsArray, ...values: unknown[]): Sql {
  if (!values.some(isSql)) {
    let text = texts.get(strings)
    if (text === undefined) {
      text = strings.reduce((before, part, i) => `${before}$${i}${part}`)
      texts.set(strings, text)
    }
    return { text, values }
  }
  return splice(strings, values)
}

function splice(strings: TemplateStringsArray, values: unknown[]): Sql {
  let text = strings[0] ?? ''
  const flat: unknown[] = []
  values.forEach((value, i) => {
    if (isSql(value)) {
      const offset = flat.length
      text += value.text.replace(/\$(\d+)/g, (_, n: string) => `$${Number(n) + offset}`)
      for (const one of value.values) flat.push(one)
    } else {
      flat.push(value)
      text += `$${flat.length}`
    }
    text += strings[i + 1] ?? ''
  })
  return { text, values: flat }
}

/**
 * Turns trusted text into SQL, such as a list of columns. Never use it for values.
 *
 * @throws Error if the text contains characters that a list of columns does not have
 */
export function sqlText(text: string): Sql {
  if (!/^[\w.,"' =]*$/.test(text)) throw new Error(`This is not a list of columns: ${text}`)
  return { text, values: [] }
}

/** Joins conditions with `and`. Without conditions, the result is `true`. */
export const allOf = (conditions: readonly Sql[]): Sql =>
  conditions.length === 0 ? sql`true` : conditions.reduce((left, right) => sql`${left} and ${right}`)

/**
 * Marks a statement that must be planned again for every run, because the best plan depends on the values. A plan for
 * all values would read a rare role as if every member had it.
 */
export const replanned = (statement: Sql): Sql => ({ ...statement, isReplanned: true })
