import {
  type MemberFieldName,
  memberField,
  storedFields,
  type UserField,
  userFields,
} from '@rolecall/contract'
import { type Sql, sqlText } from '#platform/db/sql'

/** SQL that is made of the table of member fields: `u` stands for a row of `members`, `m` for one of `memberships`. */

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

/** The fields that the platform tells of every user; only logins tell the email address. */
export const toldFields: readonly ('username' | UserField)[] = ['username', ...userFields]

/** Their columns, each written as `write` returns it. */
export const toldColumns = (write: (column: string) => string = (column) => column): Sql =>
  sqlText(toldFields.map((name) => write(String(memberField(name).column))).join(', '))
