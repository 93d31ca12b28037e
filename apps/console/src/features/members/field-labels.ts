import { fieldsOf } from '@rolecall/contract'

/** The fields that the member page lists as text; the picture is shown beside the name. */
export const listedFields = [...fieldsOf('memberServers'), 'displayName' as const].filter(
  (name) => name !== 'avatar',
)

/** Labels of these fields. A field without a label does not compile. */
export const fieldLabels: Readonly<Record<(typeof listedFields)[number], string>> = {
  username: 'Username',
  globalName: 'Name',
  displayName: 'Nickname',
  email: 'Email',
}
