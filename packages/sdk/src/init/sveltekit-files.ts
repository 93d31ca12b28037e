import type { AppFolder } from './app-folder.ts'
import type { HandlerFile } from './framework.ts'

/** Returns the files that set up the sign-in of a SvelteKit app. */
export function svelteKitFiles(app: AppFolder): readonly HandlerFile[] {
  const type = app.isTyped ? 'ts' : 'js'
  return [
    { path: `src/lib/server/rolecall.${type}`, text: library },
    {
      path: `src/hooks.server.${type}`,
      text: hooks,
      insteadOf: ['src/hooks.server/index.ts', 'src/hooks.server/index.js'],
      join: 'put `rolecall.handle` of $lib/server/rolecall first in `sequence()` of @sveltejs/kit/hooks',
    },
  ]
}

/** Returns the remaining steps in a SvelteKit app. */
export const svelteKitSteps = (): readonly string[] => [
  "In +page.server: const { member } = await rolecall.requireMember(event, { anyOf: ['<role id>'] })",
]

// The generated file passes each variable as an option, because `vite dev` does not copy the variables of .env into the
// environment of the process.
const library = `import { createRolecall } from '@rolecall/sdk/sveltekit'
import { env } from '$env/dynamic/private'
import { error, redirect } from '@sveltejs/kit'

export const rolecall = createRolecall(
  { error, redirect },
  {
    url: env.ROLECALL_URL,
    apiKey: env.ROLECALL_API_KEY,
    clientId: env.ROLECALL_CLIENT_ID,
    serverId: env.ROLECALL_SERVER_ID,
    appUrl: env.ROLECALL_APP_URL,
    secret: env.ROLECALL_SECRET,
  },
)
`

const hooks = `import { rolecall } from '$lib/server/rolecall'

export const handle = rolecall.handle
`
