import type { AppFolder } from './app-folder.ts'
import { CannotInit } from './cannot-init.ts'
import type { HandlerFile } from './framework.ts'

/** The first major version of Next.js that runs `proxy.ts`, in which sessions are refreshed. */
const firstMajor = 16

/** Returns the files that set up the sign-in of a Next.js app. */
export function nextFiles(app: AppFolder): readonly HandlerFile[] {
  const major = majorOf(app)
  if (major !== undefined && major < firstMajor) {
    throw new CannotInit(`Next.js ${firstMajor} or newer is needed; this app has ${major}.`)
  }
  const root = app.has('src/app') || app.has('src/pages') ? 'src/' : ''
  const type = app.isTyped ? 'ts' : 'js'
  return [
    { path: `${root}lib/rolecall.${type}`, text: library },
    { path: `${root}app/auth/[...rolecall]/route.${type}`, text: route },
    {
      path: `${root}proxy.${type}`,
      text: proxy,
      insteadOf: [`${root}middleware.ts`, `${root}middleware.js`],
      join: 'return the result of `rolecall.proxy(request)` from lib/rolecall',
    },
  ]
}

/** Returns the remaining steps in a Next.js app. */
export function nextSteps(app: AppFolder): readonly string[] {
  const guard = "In a page: const { member } = await rolecall.requireMember({ anyOf: ['<role id>'] })"
  const type =
    'Remove the line `"type": "commonjs"` from package.json, because Next.js rejects proxy files with it.'
  return app.type === 'commonjs' ? [type, guard] : [guard]
}

/** Returns the major version of Next.js: the installed one, or else the one in package.json. */
function majorOf(app: AppFolder): number | undefined {
  const installed = /"version":\s*"(\d+)/.exec(app.read('node_modules/next/package.json'))
  const [, major] = installed ?? /^\D{0,2}(\d+)/.exec(app.dependencies.get('next') ?? '') ?? []
  return major === undefined ? undefined : Number(major)
}

const library = `import { createRolecall } from '@rolecall/sdk/next'
import { cookies, headers } from 'next/headers'
import { redirect } from 'next/navigation'
import { NextResponse } from 'next/server'

export const rolecall = createRolecall({ cookies, headers, redirect, NextResponse })
`

const route = `import { rolecall } from '../../../lib/rolecall'

export const { GET, POST } = rolecall.handlers
`

const proxy = `import { rolecall } from './lib/rolecall'

export const proxy = rolecall.proxy
export const config = { matcher: ['/((?!_next/static|_next/image|favicon.ico).*)'] }
`
