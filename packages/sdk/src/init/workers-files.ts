import type { AppFolder } from './app-folder.ts'
import type { HandlerFile } from './framework.ts'
import { variableNames } from './variables.ts'

/** Returns one file that sets up the sign-in of a Worker. */
export function workersFiles(app: AppFolder): readonly HandlerFile[] {
  const [parameter, variable] = app.isTyped
    ? [
        `env: Record<${variableNames.map((name) => `'${name}'`).join(' | ')}, string>`,
        ': ReturnType<typeof make> | undefined',
      ]
    : ['env', '']
  const lines = [
    "import { createRolecall } from '@rolecall/sdk/fetch'",
    '',
    `const make = (${parameter}) =>`,
    '  createRolecall({',
    '    url: env.ROLECALL_URL,',
    '    apiKey: env.ROLECALL_API_KEY,',
    '    clientId: env.ROLECALL_CLIENT_ID,',
    '    serverId: env.ROLECALL_SERVER_ID,',
    '    appUrl: env.ROLECALL_APP_URL,',
    '    secret: env.ROLECALL_SECRET,',
    '    // A Worker cannot keep an event stream open between requests.',
    '    cache: false,',
    '  })',
    '',
    `let made${variable}`,
    '',
    '/** The environment of a Worker comes with its requests. */',
    `export const rolecallOf = (${parameter}) => {`,
    '  made ??= make(env)',
    '  return made',
    '}',
  ]
  return [{ path: `src/rolecall.${app.isTyped ? 'ts' : 'js'}`, text: `${lines.join('\n')}\n` }]
}

/** Returns the remaining steps in a Worker. */
export const workersSteps = (): readonly string[] => [
  `In the Worker:

       import { rolecallOf } from './rolecall'
       export default {
         fetch: (request, env) =>
           rolecallOf(env).handle(request, async (request, visitor) => {
             const { member } = await visitor.requireMember({ anyOf: ['<role id>'] })
             return Response.json({ username: member.username })
           }),
       }`,
  'For production: `npx wrangler secret put ROLECALL_API_KEY`, and the other lines of .dev.vars.',
]
