/** The looks in which tests see each page, in an order in which each differs from the one before in one thing. */
export const looks = [
  { width: 1280, colorScheme: 'light', rules: 'all' },
  { width: 1280, colorScheme: 'dark', rules: 'colors' },
  { width: 390, colorScheme: 'dark', rules: 'all' },
  { width: 390, colorScheme: 'light', rules: 'colors' },
] as const
