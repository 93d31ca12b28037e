import type { AppFolder } from './app-folder.ts'
import { CannotInit } from './cannot-init.ts'
import type { Framework } from './framework.ts'
import { nextFiles, nextSteps } from './next-files.ts'
import { nuxtFiles, nuxtSteps } from './nuxt-files.ts'
import { programFiles, programSteps } from './program-files.ts'
import { svelteKitFiles, svelteKitSteps } from './sveltekit-files.ts'
import { workersFiles, workersSteps } from './workers-files.ts'

const env = { envFile: '.env', otherEnvFiles: [] } as const
const program = { ...env, appUrl: 'http://127.0.0.1:8080' } as const

/** All frameworks. A framework that builds on another one comes before that one. */
const frameworks: readonly Framework[] = [
  {
    name: 'next',
    title: 'Next.js',
    dependency: 'next',
    envFile: '.env.local',
    otherEnvFiles: ['.env'],
    appUrl: 'http://localhost:3000',
    files: nextFiles,
    steps: nextSteps,
  },
  {
    name: 'nuxt',
    title: 'Nuxt',
    dependency: 'nuxt',
    ...env,
    appUrl: 'http://localhost:3000',
    files: nuxtFiles,
    steps: nuxtSteps,
  },
  {
    name: 'sveltekit',
    title: 'SvelteKit',
    dependency: '@sveltejs/kit',
    envFile: '.env',
    otherEnvFiles: ['.env.local'],
    appUrl: 'http://localhost:5173',
    files: svelteKitFiles,
    steps: svelteKitSteps,
  },
  {
    name: 'express',
    title: 'Express',
    dependency: 'express',
    ...program,
    files: programFiles('express'),
    steps: programSteps('express'),
  },
  {
    name: 'fastify',
    title: 'Fastify',
    dependency: 'fastify',
    ...program,
    files: programFiles('fastify'),
    steps: programSteps('fastify'),
  },
  {
    name: 'hono',
    title: 'Hono',
    dependency: 'hono',
    ...program,
    files: programFiles('hono'),
    steps: programSteps('hono'),
  },
  {
    name: 'workers',
    title: 'Cloudflare Workers',
    dependency: 'wrangler',
    envFile: '.dev.vars',
    otherEnvFiles: ['.env'],
    appUrl: 'http://localhost:8787',
    files: workersFiles,
    steps: workersSteps,
  },
]

/** Frameworks that an app may combine with a server framework. If an app has one of these, it is the one to set up. */
const whole = new Set(['next', 'nuxt', 'sveltekit'])

/**
 * Returns the framework of an app: the one that `--framework` names, or else the one among the app's dependencies.
 *
 * @throws CannotInit if there is none, or if more than one is possible
 */
export function findFramework({ dependencies }: AppFolder, named: string | undefined): Framework {
  const names = frameworks.map(({ name }) => name).join(', ')
  if (named !== undefined) {
    const framework = frameworks.find(({ name }) => name === named)
    if (!framework) throw new CannotInit(`--framework is one of ${names}.`)
    return framework
  }
  const all = frameworks.filter(({ dependency }) => dependencies.has(dependency))
  // The package `wrangler` identifies Workers, but it also deploys apps of other frameworks. So another match wins.
  const found = all.length > 1 ? all.filter(({ name }) => name !== 'workers') : all
  const [first, second] = found
  if (!first) {
    throw new CannotInit(
      `None of ${names} is in the dependencies of package.json. Choose one with --framework.`,
    )
  }
  if (second && !whole.has(first.name)) {
    const both = found.map(({ name }) => name).join(' and ')
    throw new CannotInit(`The dependencies of package.json name ${both}. Choose one with --framework.`)
  }
  return first
}
