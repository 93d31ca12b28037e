import type { FieldsOf } from '@rolecall/contract'

/** A field that pages about a member list as text; the picture is shown beside the name. */
type ListedField = Exclude<keyof FieldsOf<'memberServers'>, 'avatar'> | 'displayName'

/** Labels of these fields, in the order of the pages. A missing or additional field does not compile. */
const labels: Readonly<Record<ListedField, string>> = {
  username: 'Username',
  globalName: 'Name',
  email: 'Email',
  displayName: 'Nickname',
}

// The type of `Object.entries` does not contain the keys.
const fields = Object.entries(labels) as readonly (readonly [ListedField, string])[]

/** Returns the names and the address of a member as facts of a page. */
export const memberFacts = (member: Readonly<Record<ListedField, string | null>>) =>
  fields.map(([field, label]) => [label, <bdi key={field}>{member[field] ?? 'None'}</bdi>] as const)
