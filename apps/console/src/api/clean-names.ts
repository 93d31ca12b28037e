/** The control characters that break a line or move within it. */
const breaks = /[\t\n\v\f\r\u0085\u2028\u2029]+/g
/** All other control characters, and those of bidirectional text, which can reorder the text around a name. */
const controls = /[\p{Cc}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu

/** Returns true for a field that contains a name, or a sentence with a name. */
const isNameField = (field: string): boolean => /names?$/i.test(field) || /^(summary|detail)$/.test(field)

/** The fields with a project's own data, which the console shows as it was sent. */
const dataFields = new Set(['payload', 'schema'])

/** Returns a text without characters that could reorder or break the text around it. */
const cleanText = (text: string): string => text.replaceAll(breaks, ' ').replaceAll(controls, '')

/**
 * Cleans every name in a response of the service, in place. All responses are cleaned here, so that no page needs to
 * clean names. Pages isolate names with `<bdi>`, because letters that are written from right to left also reorder text.
 */
export function cleanNames<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null) return value
  const fields = value as Record<string, unknown>
  for (const [field, inner] of Object.entries(fields)) {
    if (dataFields.has(field)) continue
    fields[field] = isNameField(field) ? cleanStrings(inner) : cleanNames(inner)
  }
  return value
}

/** Cleans a name, a list of names, or names by ID. */
function cleanStrings(value: unknown): unknown {
  if (typeof value === 'string') return cleanText(value)
  if (Array.isArray(value)) return value.map(cleanStrings)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, cleanStrings(inner)]))
}
