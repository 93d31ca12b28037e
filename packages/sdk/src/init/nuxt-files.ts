import type { HandlerFile } from './framework.ts'

/** Returns the files that set up the sign-in of a Nuxt app. */
export const nuxtFiles = (): readonly HandlerFile[] => [
  {
    path: 'server/utils/rolecall.ts',
    text: `import { createRolecall } from '@rolecall/sdk/nuxt'

export const rolecall = createRolecall()
`,
  },
  {
    path: 'server/middleware/1.rolecall.ts',
    text: `export default defineEventHandler(rolecall.middleware)
`,
  },
]

/** Returns the remaining steps in a Nuxt app. */
export const nuxtSteps = (): readonly string[] => [
  "In server/api: export default defineEventHandler(rolecall.requireMember({ anyOf: ['<role id>'] }, (event, { member }) => …))",
]
