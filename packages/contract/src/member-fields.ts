import { type Static, type TSchema, Type } from 'typebox'
import { DateTime, Nullable } from './formats.ts'

/** A response that contains fields of a member. */
export type MemberAnswer =
  /** validate, exchange, and refresh; OpenID Connect claims and `Remote-*` headers are made of it. */
  | 'session'
  | 'profile'
  | 'serverMember'
  | 'projectSession'
  | 'memberList'
  | 'memberServers'
  /** Rows of the CSV and the JSON file. */
  | 'memberExport'

interface MemberField {
  readonly schema: TSchema
  readonly example: string
  /** Where the value comes from; `id` means computed from the member ID. */
  readonly source: 'user' | 'login' | 'membership' | 'admin' | 'id'
  /** The key of the platform's user object, and how its value is read. Such a field is null where the platform sends none. */
  readonly payload?: { readonly key: string; readonly as: 'text' | 'avatar' }
  /** The column of `members`, of type text, or of `memberships` for a value of a membership. */
  readonly column?: string
  readonly answers: readonly MemberAnswer[]
  /** Part of the profile in the file with everything that is kept about a person. */
  readonly isPersonal: boolean
  /** The claim of the scope `profile` that has this value; left out where the value is null. */
  readonly claim?: string
}

/**
 * Describes each field of a member: one row a field. Schemas, SELECT lists, writes, response bodies, exports, and claims
 * derive from it. The table is here because the contract imports nothing of the service, and both service and console import the contract.
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
    schema: Nullable(Type.String({ description: 'Nickname in the server.' })),
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
    schema: Nullable(Type.String({ description: 'As the account had it at the last login.' })),
    example: 'ada@crew.example',
    source: 'login',
    column: 'email',
    answers: ['session', 'profile'],
    isPersonal: true,
  },
  joinedAt: {
    schema: Nullable({
      ...DateTime,
      description:
        'When the account was created on the chat platform. When they joined a server is `joinedAt` of the member lists.',
    }),
    example: '2026-03-01T12:00:00.000Z',
    source: 'id',
    answers: ['session'],
    isPersonal: false,
  },
  preferredName: {
    schema: Nullable(Type.String({ description: 'Set by an admin; overrides the display name.' })),
    example: 'Ada',
    source: 'admin',
    column: 'preferred_name',
    answers: ['session', 'profile'],
    isPersonal: true,
  },
} as const satisfies Readonly<Record<string, MemberField>>

/** The name of a field in responses. */
export type MemberFieldName = keyof typeof memberFields

// `Object.keys` forgets which keys an object has.
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

/** A field that the table reads from the platform's user object. */
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

/** The fields that the platform's user object holds. */
export const userFields = names.filter((name): name is UserField => memberField(name).payload !== undefined)

/** The fields that are stored in `members`. */
export const storedFields = names.filter(
  (name): name is StoredField =>
    memberField(name).column !== undefined && memberField(name).source !== 'membership',
)

/** These responses list the fields after the username in alphabetical order, and all others in the order of the table. */
const alphabetical: readonly MemberAnswer[] = ['session', 'profile']

/** Returns the names of the fields that a response contains, in the order of its keys. */
export function fieldsOf<Answer extends MemberAnswer>(answer: Answer): readonly FieldOf<Answer>[] {
  const found = names.filter((name): name is FieldOf<Answer> => memberField(name).answers.includes(answer))
  if (!alphabetical.includes(answer)) return found
  const rank = (name: MemberFieldName) => (name === 'username' ? '' : name)
  return found.sort((a, b) => (rank(a) < rank(b) ? -1 : 1))
}

/** Makes an object with these keys, in this order. */
export const mapFields = <Name extends string, Value>(
  keys: readonly Name[],
  toValue: (name: Name) => Value,
) =>
  // `Object.fromEntries` forgets which keys it was given.
  Object.fromEntries(keys.map((name) => [name, toValue(name)])) as Record<Name, Value>

/** Copies these keys, in this order. */
export function pickFields<From extends object, Name extends keyof From>(
  keys: readonly Name[],
  from: From,
): Pick<From, Name> {
  const picked: Partial<Pick<From, Name>> = {}
  for (const name of keys) picked[name] = from[name]
  // Each key was copied.
  return picked as Pick<From, Name>
}

/** Returns the schemas of the fields that a response contains, in the order of its keys. */
export const schemasOf = <Answer extends MemberAnswer>(answer: Answer) =>
  // `mapFields` knows the schema of a name only as one of all schemas.
  mapFields(fieldsOf(answer), (name) => memberFields[name].schema) as {
    [Name in FieldOf<Answer>]: Fields[Name]['schema']
  }
