/** A statement with separate values, to which `text` refers by `$1…`. The same template has the same `text`. */
export interface Sql {
  readonly text: string
  readonly values: readonly unknown[]
  readonly isReplanned?: true
}

const texts = new WeakMap<TemplateStringsArray, string>()
const isSql = (value: unknown): value is Sql =>
  typeof value === 'object' && value !== null && 'text' in value && 'values' in value

/**
 * Builds a statement. Every interpolated value becomes a parameter, and every interpolated `Sql` is inserted. A
 * template without an inserted `Sql` has one constant text, so that the database can reuse its plan.
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
 * Creates SQL from trusted text, such as a list of columns. For values, use parameters of a template.
 *
 * @throws Error if the text cannot be a list of columns
 */
export function sqlText(text: string): Sql {
  if (!/^[\w.,"' =]*$/.test(text)) throw new Error(`This is not a list of columns: ${text}`)
  return { text, values: [] }
}

/** Joins conditions with `and`. Returns `true` if there are none. */
export const allOf = (conditions: readonly Sql[]): Sql =>
  conditions.length === 0 ? sql`true` : conditions.reduce((left, right) => sql`${left} and ${right}`)

/**
 * Marks a statement to be planned with its values each time that it runs. Use it for filters with values that determine
 * the best plan. A generic plan would read a rare role as if every member held it.
 */
export const replanned = (statement: Sql): Sql => ({ ...statement, isReplanned: true })
