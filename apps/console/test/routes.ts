import { readFileSync } from 'node:fs'

const table = readFileSync(new URL('../src/routes.tsx', import.meta.url), 'utf8')
const found = [...table.matchAll(/\bpage\('([^']+)', \(\) => import\(/g)]

/** The path of every page of the console, from the console's own table of routes. */
export const routes: readonly string[] = found.flatMap(([, path]) => path ?? [])

if (routes.length !== table.split('import(').length - 1)
  throw new Error('The table of routes imports a page without a path that is found here.')
