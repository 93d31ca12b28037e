/** A statement with separate values: `text` has `$1…`, and is the same string for the same template. */
export interface Sql {
  readonly text: string
  readonly values: readonly unknown[]
  readonly isReplanned?: true
}

const texts = new WeakMap<TemplateStringsArray, string>()
const isSql = (value: unknown): value is Sql =>
  typeof value === 'object' && value !== null && 'text' in value && 'values' in value

/**
 * Builds SQL: every interpolated value becomes a parameter, every interpolated `Sql` is spliced in. A template without
 * splices has one constant text, so that the database can keep its plan.
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
 * Makes SQL from trusted text, such as a list of columns. For values, use parameters of a template.
 * @throws Error if the text cannot be a list of columns
 */
export function sqlText(text: string): Sql {
  if (!/^[\w.,"' =]*$/.test(text)) throw new Error(`This is not a list of columns: ${text}`)
  return { text, values: [] }
}

/** Joins conditions with `and`; without conditions it is `true`. */
export const allOf = (conditions: readonly Sql[]): Sql =>
  conditions.length === 0 ? sql`true` : conditions.reduce((left, right) => sql`${left} and ${right}`)

/**
 * Marks a statement to be planned with its values each time that it runs. For filters with values that determine the
 * best plan: a generic one would read a rare role as if everyone held it.
 */
export const replanned = (statement: Sql): Sql => ({ ...statement, isReplanned: true })
