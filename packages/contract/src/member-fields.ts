import { type Static, type TSchema, Type } from 'typebox'
import { DateTime, Nullable } from './formats.ts'

/** The kinds of responses that contain fields of a member. */
export type MemberAnswer =
  /**
   * The responses of validate, exchange, and refresh. OpenID Connect claims and `Remote-*` headers have the same
   * fields.
   */
  | 'session'
  | 'profile'
  | 'serverMember'
  | 'projectSession'
  | 'memberList'
  | 'memberServers'
  /** The rows of the CSV and the JSON export. */
  | 'memberExport'

interface MemberField {
  readonly schema: TSchema
  readonly example: string
  /** The source of the value. `id` means that it is computed from the member ID. */
  readonly source: 'user' | 'login' | 'membership' | 'admin' | 'id'
  /** The key in Discord's user object, and the format of its value. The field is null if Discord sends no value. */
  readonly payload?: { readonly key: string; readonly as: 'text' | 'avatar' }
  /** The text column in `members`, or in `memberships` if the source is a membership. */
  readonly column?: string
  readonly answers: readonly MemberAnswer[]
  /** True if the export of a person's data contains the field. */
  readonly isPersonal: boolean
  /** The OpenID Connect claim with this value, in the scope `profile`. It is omitted if the value is null. */
  readonly claim?: string
}

/**
 * Describes each field of a member in one row. Schemas, SELECT lists, writes, response bodies, exports, and claims
 * derive from it. The table is in the contract because both the service and the console import the contract.
 */
export const memberFields = {
  username: {
    schema: Type.String(),
    example: 'ada',
    source: 'user',
    column: 'username',
    answers: [
      'session',
      'profile',
      'serverMember',
      'projectSession',
      'memberList',
      'memberServers',
      'memberExport',
    ],
    isPersonal: true,
  },
  globalName: {
    schema: Nullable(Type.String()),
    example: 'Ada',
    source: 'user',
    payload: { key: 'global_name', as: 'text' },
    column: 'global_name',
    answers: [
      'session',
      'profile',
      'serverMember',
      'projectSession',
      'memberList',
      'memberServers',
      'memberExport',
    ],
    isPersonal: true,
  },
  displayName: {
    schema: Nullable(Type.String({ description: 'The nickname in the server.' })),
    example: 'Ada',
    source: 'membership',
    column: 'nick',
    answers: ['session', 'profile', 'serverMember', 'projectSession', 'memberExport'],
    isPersonal: false,
  },
  avatar: {
    schema: Nullable(Type.String({ description: 'Full CDN address.' })),
    example: 'https://cdn.discordapp.com/embed/avatars/0.png',
    source: 'user',
    payload: { key: 'avatar', as: 'avatar' },
    column: 'avatar',
    answers: ['session', 'profile', 'serverMember', 'projectSession', 'memberList', 'memberServers'],
    isPersonal: true,
    claim: 'picture',
  },
  email: {
    schema: Nullable(Type.String({ description: 'The email address of the account at the last sign-in.' })),
    example: 'ada@crew.example',
    source: 'login',
    column: 'email',
    answers: ['session', 'profile', 'memberServers'],
    isPersonal: true,
  },
  joinedAt: {
    schema: Nullable({
      ...DateTime,
      description:
        'The time at which the account was created on Discord. In member lists, `joinedAt` is the time ' +
        'at which the member joined the server.',
    }),
    example: '2026-03-01T12:00:00.000Z',
    source: 'id',
    answers: ['session'],
    isPersonal: false,
  },
  preferredName: {
    schema: Nullable(
      Type.String({
        description:
          'A name that an administrator has set for themselves. Show it instead of the display name.',
      }),
    ),
    example: 'Ada',
    source: 'admin',
    column: 'preferred_name',
    answers: ['session', 'profile'],
    isPersonal: true,
  },
} as const satisfies Readonly<Record<string, MemberField>>

/** The name of a field in responses. */
export type MemberFieldName = keyof typeof memberFields

// `Object.keys` returns `string[]`, without the type of the keys.
const names = Object.keys(memberFields) as MemberFieldName[]

/** Returns the description of one field. */
export const memberField = (name: MemberFieldName): MemberField => memberFields[name]

type Fields = typeof memberFields
type FieldWith<Row> = {
  [Name in MemberFieldName]: Fields[Name] extends Row ? Name : never
}[MemberFieldName]
type FieldOf<Answer> = {
  [Name in MemberFieldName]: Answer extends Fields[Name]['answers'][number] ? Name : never
}[MemberFieldName]

/** A field that is read from the platform's user object. */
export type UserField = FieldWith<{ readonly payload: object }>
/** A field that is stored in `members`. */
export type StoredField = Exclude<
  FieldWith<{ readonly column: string }>,
  FieldWith<{ readonly source: 'membership' }>
>
/** The fields that a response contains, with their values. */
export type FieldsOf<Answer extends MemberAnswer> = {
  readonly [Name in FieldOf<Answer>]: Static<Fields[Name]['schema']>
}

/** Fields of the platform's user object. */
export const userFields = names.filter((name): name is UserField => memberField(name).payload !== undefined)

/** Fields that are stored in `members`. */
export const storedFields = names.filter(
  (name): name is StoredField =>
    memberField(name).column !== undefined && memberField(name).source !== 'membership',
)

/**
 * The responses that list the username first, and the other fields alphabetically. All others have the table's order.
 */
const alphabetical: readonly MemberAnswer[] = ['session', 'profile']

/** Returns the names of the fields that a response contains, in the order of its keys. */
export function fieldsOf<Answer extends MemberAnswer>(response: Answer): readonly FieldOf<Answer>[] {
  const found = names.filter((name): name is FieldOf<Answer> => memberField(name).answers.includes(response))
  if (!alphabetical.includes(response)) return found
  const rank = (name: MemberFieldName) => (name === 'username' ? '' : name)
  return found.sort((a, b) => (rank(a) < rank(b) ? -1 : 1))
}

/** Creates an object with these keys, in this order. */
export const mapFields = <Name extends string, Value>(
  keys: readonly Name[],
  toValue: (name: Name) => Value,
) =>
  // The type of `Object.fromEntries` does not contain the keys.
  Object.fromEntries(keys.map((name) => [name, toValue(name)])) as Record<Name, Value>

/** Copies these keys of an object, in this order. */
export function pickFields<From extends object, Name extends keyof From>(
  keys: readonly Name[],
  from: From,
): Pick<From, Name> {
  const picked: Partial<Pick<From, Name>> = {}
  for (const name of keys) picked[name] = from[name]
  // The loop copied every key, so the object is complete.
  return picked as Pick<From, Name>
}

/** Returns the schemas of the fields that a response contains, in the order of its keys. */
export const schemasOf = <Answer extends MemberAnswer>(response: Answer) =>
  // The type of `mapFields` does not tell which schema belongs to which name.
  mapFields(fieldsOf(response), (name) => memberFields[name].schema) as {
    [Name in FieldOf<Answer>]: Fields[Name]['schema']
  }
