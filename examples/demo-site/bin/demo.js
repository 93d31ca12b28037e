#!/usr/bin/env node
import { buildOnce } from '../../../tools/build-once.js'

/** What Ctrl-C does: until something has been started, just this. */
let stop = (exitCode) => process.exit(exitCode)
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => stop(0))

try {
  await buildOnce(console.log)
} catch (error) {
  console.error(error.message)
  process.exit(1)
}
const demo = await import('../dist/demo.js')
stop = demo.stop
await demo.start()
