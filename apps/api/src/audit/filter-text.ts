/**
 * Lists the filters of a download for its audit entry. Names that there is a search, but not its text: this may be a
 * person's name, and entries outlive an erasure.
 */
export const filterText = ({ search, ...filters }: object & { readonly search?: string }): string =>
  [
    ...Object.entries(filters).map(([name, value]) => `${name} ${value}`),
    ...(search ? ['a search'] : []),
  ].join(', ')
