/**
 * Encodes parameters for the embedded engine, by their PostgreSQL types. Single statements and batches both use this
 * file, so that they store the same values. An unknown type, or a value that does not fit its type, is an error: a
 * guess could change data.
 */

/** Returns the text of a value for PostgreSQL. Returns undefined if the value does not fit the type. */
type Encode = (value: unknown) => string | undefined

const text: Encode = (value) => (typeof value === 'string' ? value : undefined)
const uuid: Encode = (value) => text(value)
const bool: Encode = (value) => (typeof value === 'boolean' ? String(value) : undefined)
const bytes: Encode = (value) => (value instanceof Uint8Array ? `\\x${hexOf(value)}` : undefined)
/** Encodes a number. Strings are passed as they are, because PostgreSQL rejects those that are not numbers. */
const number: Encode = (value) =>
  typeof value === 'number' || typeof value === 'bigint' ? String(value) : text(value)
const time: Encode = (value) => (value instanceof Date ? value.toISOString() : text(value))
/**
 * Encodes a JSON value. A string must already be JSON. Arrays are rejected, because the driver for PostgreSQL would
 * send them as PostgreSQL arrays.
 */
const json: Encode = (value) =>
  typeof value === 'object' && !Array.isArray(value) ? JSON.stringify(value) : text(value)

const hexOf = ({ buffer, byteOffset, byteLength }: Uint8Array) =>
  Buffer.from(buffer, byteOffset, byteLength).toString('hex')

/**
 * The permitted types by name: the OID of the type, the OID of its arrays, and the encoding of a value. See
 * `pg_type.oid` and `pg_type.typarray`.
 */
const types: Readonly<Record<string, readonly [type: number, array: number, encode: Encode]>> = {
  bool: [16, 1000, bool],
  bytea: [17, 1001, bytes],
  int8: [20, 1016, number],
  int2: [21, 1005, number],
  int4: [23, 1007, number],
  text: [25, 1009, text],
  json: [114, 199, json],
  float8: [701, 1022, number],
  inet: [869, 1041, text],
  timestamptz: [1184, 1185, time],
  interval: [1186, 1187, text],
  numeric: [1700, 1231, number],
  uuid: [2950, 2951, uuid],
  jsonb: [3802, 3807, json],
  xid8: [5069, 271, number],
}

/**
 * The encodings whose results need no quotes. An array of these types may also be given as the text that PostgreSQL
 * reads.
 */
const unquoted: readonly Encode[] = [number, uuid]

const arrayOf =
  (encode: Encode): Encode =>
  (value) => {
    if (!Array.isArray(value)) return unquoted.includes(encode) ? text(value) : undefined
    const parts = value.map((one: unknown) =>
      one === null || one === undefined ? 'NULL' : quoted(encode(one)),
    )
    return parts.includes(undefined) ? undefined : `{${parts.join(',')}}`
  }

const quoted = (part: string | undefined) =>
  part === undefined ? undefined : `"${part.replaceAll(/["\\]/g, '\\$&')}"`

const encoders = new Map(
  Object.entries(types).flatMap(([name, [type, array, encode]]) => [
    [type, { name, encode }] as const,
    [array, { name: `${name}[]`, encode: arrayOf(encode) }] as const,
  ]),
)

/**
 * Returns the text of a value for PostgreSQL, or null for null and undefined.
 *
 * @throws TypeError if the type is unknown, or the value does not fit it
 */
export function encodeParameter(type: number, value: unknown): string | null {
  if (value === null || value === undefined) return null
  const encoder = encoders.get(type)
  if (!encoder) throw new TypeError(`Parameters of the PostgreSQL type ${type} have no encoder.`)
  const encoded = encoder.encode(value)
  if (encoded === undefined)
    throw new TypeError(`A ${kindOf(value)} is not a parameter of the type ${encoder.name}.`)
  return encoded
}

/** Returns the kind of a value for an error message. The value itself may be a secret. */
const kindOf = (value: unknown) =>
  typeof value === 'object' ? (value?.constructor?.name ?? 'null object') : typeof value
