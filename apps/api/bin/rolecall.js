#!/usr/bin/env node
import './check-node.js'
import { existsSync } from 'node:fs'

if (!existsSync(new URL('../dist/main.js', import.meta.url))) {
  const { buildOnce } = await import('../../../tools/build-once.js')
  await buildOnce()
}
await import('../dist/main.js').catch(async (error) => {
  // The program has the same sentence for it; this is before it is loaded.
  const { isTooManyFiles, tooManyFiles } = await import('../dist/platform/too-many-files.js')
  if (!isTooManyFiles(error)) throw error
  console.error(tooManyFiles)
  process.exit(1)
})
