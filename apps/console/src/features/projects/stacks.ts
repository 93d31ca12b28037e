/** The stack of the Python client. Its guide is the README of the client, not a file in the folder of guides. */
export const pythonStack = 'python'

/** The stacks that have a guide, by its file name. */
export const stacks = [
  ['next', 'Next.js'],
  ['sveltekit', 'SvelteKit'],
  ['nuxt', 'Nuxt'],
  ['express', 'Express'],
  ['fastify', 'Fastify'],
  ['hono', 'Hono'],
  ['fetch', 'Any other'],
  [pythonStack, 'Python'],
] as const
