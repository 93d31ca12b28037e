import type { FieldsOf } from '@rolecall/contract'

/** Returns the name that a member is shown by to a project. */
export const shownName = ({
  displayName,
  preferredName,
  globalName,
  username,
}: Pick<FieldsOf<'session'>, 'displayName' | 'preferredName' | 'globalName' | 'username'>): string =>
  displayName ?? preferredName ?? globalName ?? username
