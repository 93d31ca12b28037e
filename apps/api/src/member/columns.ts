import {
  type MemberFieldName,
  memberField,
  storedFields,
  type UserField,
  userFields,
} from '@rolecall/contract'
import { type Sql, sqlText } from '#platform/db/sql'

/** Derives SQL from the table of member fields. `u` is the alias of `members`, and `m` that of `memberships`. */

const columnOf = (name: MemberFieldName): string => {
  const { column, source } = memberField(name)
  return `${source === 'membership' ? 'm' : 'u'}.${column}`
}

const isStored = (name: MemberFieldName) => memberField(name).column !== undefined

/** Selects the fields by their names, except computed ones. */
export const selectFields = (names: readonly MemberFieldName[]): Sql =>
  sqlText(
    names
      .filter(isStored)
      .map((name) => `${columnOf(name)} as "${name}"`)
      .join(', '),
  )

/** Arguments of `json_build_object` for the personal data of `u`. */
export const personalPairs: Sql = sqlText(
  storedFields
    .filter((name) => memberField(name).isPersonal)
    .map((name) => `'${name}', ${columnOf(name)}`)
    .join(', '),
)

/** Fields that the platform returns for every user. It returns the email address only at a sign-in. */
export const reportedFields: readonly ('username' | UserField)[] = ['username', ...userFields]

/** Lists the columns of these fields, each formatted by `write`. */
export const reportedColumns = (write: (column: string) => string = (column) => column): Sql =>
  sqlText(reportedFields.map((name) => write(String(memberField(name).column))).join(', '))
