#!/usr/bin/env node
import { existsSync } from 'node:fs'

if (!existsSync(new URL('../dist/main.js', import.meta.url))) {
  const { buildOnce } = await import('../../../tools/build-once.js')
  await buildOnce()
}
await import('../dist/main.js')
