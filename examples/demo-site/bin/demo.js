#!/usr/bin/env node
import { buildOnce } from '../../../tools/build-once.js'

try {
  await buildOnce(console.log)
} catch (error) {
  console.error(error.message)
  process.exit(1)
}
await import('../dist/demo.js')
