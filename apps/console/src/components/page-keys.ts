/** The keys that turn the pages of a list; its buttons name them. */
export const newestKey = '['
export const olderKey = ']'
