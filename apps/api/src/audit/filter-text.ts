/**
 * Lists the filters of a download, for its audit entry. It mentions a search but not its text, which may be the name of
 * a person: the entry remains if that person is erased.
 */
export const filterText = ({ search, ...filters }: object & { readonly search?: string }): string =>
  [
    ...Object.entries(filters).map(([name, value]) => `${name} ${value}`),
    ...(search ? ['a search'] : []),
  ].join(', ')
