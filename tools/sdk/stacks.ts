import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { commandsOfPage } from '../shown/collect.ts'
import { root } from './installed.ts'

/**
 * Returns the files that a page of docs/guides/stacks shows, by path. A code block is a file if it begins with a
 * comment that contains its path.
 */
export async function filesIn(page: string): Promise<Map<string, string>> {
  const blocks = (await pageOf(page)).matchAll(/^```(?:tsx?|js)\n\/\/ (\S+)\n([\s\S]*?)^```$/gm)
  return new Map([...blocks].map(([, path = '', code = '']) => [path, code]))
}

/** Returns the code blocks with commands that a page shows. */
export const commandsIn = async (page: string): Promise<string[]> =>
  commandsOfPage(page, await pageOf(page)).flatMap(({ text, isBlock }) => (isBlock ? [text] : []))

/**
 * Returns the commands that install the packages in an empty folder. A page for existing apps shows none: it names the
 * package in a sentence, and the block with `rolecall-init` is for an app that already has it.
 */
export const findInstallCommands = async (page: string): Promise<string | undefined> =>
  (await commandsIn(page)).find((text) => text.includes('<package path>'))

const pageOf = (page: string) => readFile(join(root, 'docs/guides/stacks', `${page}.md`), 'utf8')

/** An app that a test builds from a page. */
export interface Stack {
  /** The app consists of the files of this page. */
  readonly page: string
  readonly packages: readonly string[]
  /** More files, with the routes that the tests need. They replace or complete those of the page. */
  readonly files: Readonly<Record<string, string>>
  readonly build: readonly string[]
  readonly start: (port: number) => readonly string[]
}

const crew = "{ anyOf: ['1100094049760706562', '1100094301884514307'] }"

/** The apps that must be built before they are tested, with the files of their pages and the routes of the tests. */
export const stacks: Readonly<Record<string, Stack>> = {
  'Next.js': {
    page: 'next',
    packages: ['next@16', 'react@19', 'react-dom@19', 'typescript@5', '@types/react@19', '@types/node@20'],
    files: {
      'app/page.tsx': `
        import { rolecall } from '../lib/rolecall'
        export default async () => <p>{(await rolecall.currentSession())?.member.username ?? 'nobody'}</p>`,
      'app/crew/page.tsx': `
        import { rolecall } from '../../lib/rolecall'
        export default async () => <p>{(await rolecall.requireMember(${crew})).member.username}</p>`,
      'app/api/crew/route.ts': `
        import { rolecall } from '../../../lib/rolecall'
        export const GET = rolecall.requireMember(${crew}, (_request, _context, { member }) => new Response(member.username))
        export const POST = GET`,
      'app/public/route.ts': `
        export const GET = () => new Response('for all', {
          headers: { 'cache-control': 'public, max-age=3600', 'set-cookie': 'theirs=1; Path=/' },
        })`,
      'app/leave/route.ts': `
        import { redirect } from 'next/navigation'
        import { rolecall } from '../../lib/rolecall'
        export async function POST() {
          await rolecall.signOut()
          redirect('/')
        }`,
      'tsconfig.json': JSON.stringify({
        compilerOptions: {
          strict: true,
          jsx: 'preserve',
          module: 'esnext',
          moduleResolution: 'bundler',
          noEmit: true,
        },
      }),
    },
    build: ['node_modules/next/dist/bin/next', 'build'],
    start: (port) => ['node_modules/next/dist/bin/next', 'start', '-H', '127.0.0.1', '-p', String(port)],
  },
  'SvelteKit 2': {
    page: 'sveltekit',
    packages: [
      '@sveltejs/kit@2',
      '@sveltejs/adapter-node@5',
      '@sveltejs/vite-plugin-svelte@6',
      'svelte@5',
      'vite@7',
    ],
    files: {
      'svelte.config.js': `
        import adapter from '@sveltejs/adapter-node'
        export default { kit: { adapter: adapter() } }`,
      'vite.config.js': `
        import { sveltekit } from '@sveltejs/kit/vite'
        export default { plugins: [sveltekit()] }`,
      'src/app.html':
        '<!doctype html><html lang="en"><head>%sveltekit.head%</head><body>%sveltekit.body%</body></html>',
      'src/routes/+page.server.ts': `
        import { rolecall } from '$lib/server/rolecall'
        export const load = async (event) => ({ who: (await rolecall.currentSession(event))?.member.username ?? 'nobody' })`,
      'src/routes/+page.svelte': '<script>let { data } = $props()</script><p>{data.who}</p>',
      'src/routes/crew/+page.server.ts': `
        import { rolecall } from '$lib/server/rolecall'
        export const load = async (event) => ({ who: (await rolecall.requireMember(event, ${crew})).member.username })`,
      'src/routes/crew/+page.svelte': '<script>let { data } = $props()</script><p>{data.who}</p>',
      'src/routes/api/crew/+server.ts': `
        import { rolecall } from '$lib/server/rolecall'
        export const GET = async (event) => new Response((await rolecall.requireMember(event, ${crew})).member.username)
        export const POST = GET`,
      'src/routes/public/+server.ts': `
        export const GET = () => new Response('for all', {
          headers: { 'cache-control': 'public, max-age=3600', 'set-cookie': 'theirs=1; Path=/' },
        })`,
      'src/routes/leave/+server.ts': `
        import { redirect } from '@sveltejs/kit'
        import { rolecall } from '$lib/server/rolecall'
        export const POST = async (event) => {
          await rolecall.signOut(event)
          redirect(303, '/')
        }`,
    },
    build: ['node_modules/vite/bin/vite.js', 'build'],
    start: () => ['build/index.js'],
  },
  'Nuxt 4': {
    page: 'nuxt',
    packages: ['nuxt@4', 'vue@3', 'vue-router@4'],
    files: {
      'server/middleware/2.crew.ts': `
        const crew = rolecall.requireMember(${crew})
        export default defineEventHandler((event) => (event.path.startsWith('/crew') ? crew(event) : undefined))`,
      'server/routes/index.get.ts':
        "export default defineEventHandler(async (event) => (await rolecall.currentSession(event))?.member.username ?? 'nobody')",
      'server/routes/crew.get.ts':
        'export default defineEventHandler(async (event) => (await rolecall.currentSession(event))?.member.username)',
      'server/api/crew.get.ts': `export default defineEventHandler(rolecall.requireMember(${crew}, (_event, { member }) => member.username))`,
      'server/api/crew.post.ts': `export default defineEventHandler(rolecall.requireMember(${crew}, (_event, { member }) => member.username))`,
      'server/routes/public.get.ts': `
        export default defineEventHandler((event) => {
          setResponseHeader(event, 'cache-control', 'public, max-age=3600')
          setResponseHeader(event, 'set-cookie', 'theirs=1; Path=/')
          return 'for all'
        })`,
      'server/routes/leave.post.ts': `
        export default defineEventHandler(async (event) => {
          await rolecall.signOut(event)
          return sendRedirect(event, '/', 303)
        })`,
      'app.vue': '<template><p>site</p></template>',
      'nuxt.config.ts': 'export default defineNuxtConfig({ telemetry: false })',
    },
    build: ['node_modules/nuxt/bin/nuxt.mjs', 'build'],
    start: () => ['.output/server/index.mjs'],
  },
}
