import type { AppFolder } from './app-folder.ts'
import type { HandlerFile } from './framework.ts'

type Program = 'express' | 'fastify' | 'hono'

/** Returns one file that sets up the sign-in, for apps that start with their own program. */
export const programFiles =
  (name: Program) =>
  (app: AppFolder): readonly HandlerFile[] => {
    const isOnNode = name !== 'hono' || app.dependencies.has('@hono/node-server')
    const usesRequire = !app.isTyped && !app.isModule
    const load = usesRequire
      ? {
          fs: "const { existsSync } = require('node:fs')",
          sdk: `const { createRolecall } = require('@rolecall/sdk/${name}')`,
        }
      : {
          fs: "import { existsSync } from 'node:fs'",
          sdk: `import { createRolecall } from '@rolecall/sdk/${name}'`,
        }
    const lines = [
      ...(isOnNode ? [load.fs] : []),
      load.sdk,
      '',
      ...(isOnNode ? [...readsEnv, ''] : []),
      usesRequire ? 'exports.rolecall = createRolecall()' : 'export const rolecall = createRolecall()',
    ]
    return [{ path: pathOf(app), text: `${lines.join('\n')}\n` }]
  }

// The generated file loads the variables itself, because the app may load them only after it imports this file.
const readsEnv = [
  '// Node.js does not load .env automatically. Without this file, as in production, set its variables in the environment.',
  "if (existsSync('.env')) process.loadEnvFile('.env')",
]

const pathOf = (app: AppFolder) => `${app.has('src') ? 'src/' : ''}rolecall.${app.isTyped ? 'ts' : 'js'}`

const mounts: Readonly<Record<Program, readonly string[]>> = {
  express: [
    'app.use(rolecall.middleware())',
    "app.get('/crew', rolecall.requireMember({ anyOf: ['<role id>'] }), (request, response) => …)",
  ],
  fastify: [
    'await app.register(rolecall.plugin)',
    "app.get('/crew', { onRequest: rolecall.requireMember({ anyOf: ['<role id>'] }) }, async (request) => …)",
  ],
  hono: [
    'app.use(rolecall.middleware())',
    "app.get('/crew', rolecall.requireMember({ anyOf: ['<role id>'] }), (c) => …)",
  ],
}

/** Returns the remaining steps in an app that starts with its own program: to load the file and to use it. */
export const programSteps =
  (name: Program) =>
  (app: AppFolder): readonly string[] => {
    const imported =
      app.isTyped || app.isModule
        ? "import { rolecall } from './rolecall.js'"
        : "const { rolecall } = require('./rolecall.js')"
    return [`In the app, before its own routes:\n\n${indented([imported, ...mounts[name]])}`]
  }

const indented = (lines: readonly string[]) => lines.map((line) => `       ${line}`).join('\n')
