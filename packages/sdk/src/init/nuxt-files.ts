import type { HandlerFile } from './framework.ts'

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

export const nuxtSteps = (): readonly string[] => [
  "In server/api: export default defineEventHandler(rolecall.requireMember({ anyOf: ['<role id>'] }, (event, { member }) => …))",
]
