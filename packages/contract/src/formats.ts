import { type TSchema, Type } from 'typebox'
import { isName } from './names.ts'
import { patterns } from './patterns.ts'

/**
 * The string formats of the contract, each with its predicate, for any JSON Schema validator. They enforce rules that a
 * pattern cannot express, such as a limit of 2^64 or the number of days in a month.
 */
export const formats = {
  snowflake: (value: string) =>
    /^[1-9]\d{16,19}$/.test(value) && (value.length < 20 || value <= '18446744073709551615'),
  uuid: isUuid,
  /** An ID of any form. A malformed ID is not rejected here, but not found, like an unknown one. */
  id: (_value: string) => true,
  'date-time': isDateTime,
  name: isName,
} satisfies Record<string, (value: string) => boolean>

function isUuid(value: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value)
}

const dateTime =
  /^(\d{4})-(\d\d)-(\d\d)(?:[Tt](\d\d):(\d\d)(?::(\d\d)(\.\d{1,9})?)?([Zz]|([+-])([01]\d|2[0-3]):([0-5]\d)))?$/
const endOf9999Ms = Date.UTC(10_000, 0, 1)

/**
 * Returns true for an ISO 8601 date, or a date and time with a time zone. The day must exist, so 30 February is
 * rejected. The moment must be in the years 1970 to 9999 in UTC, also if its fraction of a second is rounded up,
 * because no handler supports a year of five digits.
 */
function isDateTime(value: string): boolean {
  const match = dateTime.exec(value)
  if (!match) return false
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match
    .slice(1, 7)
    .map((digits) => Number(digits ?? 0))
  const [, , , , , , , fraction = '0', , sign, zoneHours = '0', zoneMinutes = '0'] = match
  if (hour > 23 || minute > 59 || second > 59) return false
  // `Date.UTC` would read a year below 100 as a year of the twentieth century.
  if (year < 1969) return false
  const date = new Date(Date.UTC(year, month - 1, day))
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return false
  const zone = (Number(zoneHours) * 60 + Number(zoneMinutes)) * (sign === '-' ? -60_000 : 60_000)
  const roundedUp = Math.ceil(Number(fraction) * 1_000)
  const secondMs = date.getTime() + ((hour * 60 + minute) * 60 + second) * 1_000 - zone
  return secondMs >= 0 && secondMs + roundedUp < endOf9999Ms
}

/** A Discord ID: 17 to 20 digits below 2^64, always a string. */
export const Snowflake = Type.String({ format: 'snowflake', maxLength: 20 })

/** An ID of this service (UUIDv7). Accepted in any case, as RFC 9562 requires, and converted to lower case. */
export const Uuid = Type.String({ format: 'uuid', maxLength: 36 })

/** An ID in a place that also accepts another word, or where a malformed ID is refused like an unknown one. */
export const IdOrName = Type.String({ format: 'id', minLength: 1, maxLength: 64 })

/** A time in ISO 8601, UTC, with milliseconds. */
export const DateTime = Type.String({ format: 'date-time', maxLength: 40 })

/** The schema of a cursor: the place at which the next page of a list begins. Clients return it unchanged. */
export const cursorOf = (kind: `${string}Cursor` & keyof typeof patterns, maxLength: number) =>
  Type.String({
    pattern: patterns[kind].pattern,
    maxLength,
    description: '`nextCursor` of the previous page.',
  })

/** The schema of a value or null. In responses, a missing value is null, and its key is present. */
export const Nullable = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) =>
  Type.Union([schema, Type.Null()])

const NextCursor = Nullable(Type.String({ description: 'Null on the last page.' }))

/** The schema of one page of a list that is read with `cursor`. */
export const CursorPage = <T extends TSchema>(item: T) =>
  Type.Object({ data: Type.Array(item), nextCursor: NextCursor })

/** The schema of one page of a list that is read with `cursor` or `offset`. `items` names what is counted. */
export const CountedPage = <T extends TSchema>(item: T, items: string) =>
  Type.Object({
    data: Type.Array(item),
    total: Nullable(
      Type.Integer({ description: `${items} that match the filters. Not counted with a \`cursor\`.` }),
    ),
    limit: Type.Integer(),
    offset: Type.Integer(),
    nextCursor: NextCursor,
  })

/** The schema of one word from a closed list. */
export const OneOf = <const Words extends readonly [string, ...string[]]>(...words: Words) =>
  Type.Unsafe<Words[number]>({ type: 'string', enum: [...words] })

/** The schema of an object that rejects unknown keys. Use it for requests. */
export const Closed = <P extends Parameters<typeof Type.Object>[0]>(
  properties: P,
  options: Record<string, unknown> = {},
) => Type.Object(properties, { additionalProperties: false, ...options })
