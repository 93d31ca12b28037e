import type { FieldsOf } from '@rolecall/contract'

/**
 * Returns the name under which a project shows a member: the display name in the server if there is one, else a name of
 * the profile.
 */
export const shownName = ({
  displayName,
  preferredName,
  globalName,
  username,
}: Pick<FieldsOf<'session'>, 'displayName' | 'preferredName' | 'globalName' | 'username'>): string =>
  displayName ?? preferredName ?? globalName ?? username
