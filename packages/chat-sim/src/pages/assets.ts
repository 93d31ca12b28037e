import type { Route } from '../http/route.ts'
import { style } from './style.ts'

/** Returns the route of a fixed file of the simulator's pages. */
export const asset = (path: string, type: string, body: string): Route => ({
  name: 'control',
  method: 'GET',
  path,
  at: 'root',
  auth: 'none',
  handle: () => ({ status: 200, headers: { 'content-type': type, 'cache-control': 'no-cache' }, body }),
})

export const styleSheet = asset('/assets/style.css', 'text/css; charset=utf-8', style)
