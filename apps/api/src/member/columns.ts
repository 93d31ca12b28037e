import {
  type MemberFieldName,
  memberField,
  storedFields,
  type UserField,
  userFields,
} from '@rolecall/contract'
import { type Sql, sql, sqlText } from '#platform/db/sql'

/**
 * Returns the SQL column of a member field. In every statement, `u` is the alias of `members`, and `m` that of
 * `memberships`.
 */

const columnOf = (name: MemberFieldName): string => {
  const { column, source } = memberField(name)
  return `${source === 'membership' ? 'm' : 'u'}.${column}`
}

const isStored = (name: MemberFieldName) => memberField(name).column !== undefined

/**
 * Lists the columns of these fields for a `select`, each named like its field. Leaves out computed fields, which have
 * no column.
 */
export const selectFields = (names: readonly MemberFieldName[]): Sql =>
  sqlText(
    names
      .filter(isStored)
      .map((name) => `${columnOf(name)} as "${name}"`)
      .join(', '),
  )

/** The arguments of `json_build_object` that collect the personal data of the member `u`. */
export const personalPairs: Sql = sqlText(
  storedFields
    .filter((name) => memberField(name).isPersonal)
    .map((name) => `'${name}', ${columnOf(name)}`)
    .join(', '),
)

/**
 * Fields that the chat platform returns for every user. The email address is not among them, because the platform
 * returns it only at a sign-in.
 */
export const reportedFields: readonly ('username' | UserField)[] = ['username', ...userFields]

/** Lists the columns of `reportedFields`, each formatted by `write`. */
export const reportedColumns = (write: (column: string) => string = (column) => column): Sql =>
  sqlText(reportedFields.map((name) => write(String(memberField(name).column))).join(', '))

/** Collects rows `r` of `roles` as JSON, highest first, as the type `Role` describes them. */
export const rolesAsJson: Sql = sql`coalesce(json_agg(json_build_object('id', r.id, 'name', r.name,
  'color', r.color, 'position', r.position) order by r.position desc, r.id), '[]')`
