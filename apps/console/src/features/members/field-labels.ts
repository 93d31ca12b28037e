import type { FieldsOf } from '@rolecall/contract'

/** A field that the member page lists as text; the picture is shown beside the name. */
type ListedField = Exclude<keyof FieldsOf<'memberServers'>, 'avatar'> | 'displayName'

/** Labels of these fields, in the order of the page. A missing or additional field does not compile. */
const fieldLabels: Readonly<Record<ListedField, string>> = {
  username: 'Username',
  globalName: 'Name',
  email: 'Email',
  displayName: 'Nickname',
}

/** The listed fields with their labels. */
// The type of `Object.entries` does not contain the keys.
export const listedFields = Object.entries(fieldLabels) as readonly (readonly [ListedField, string])[]
