#!/usr/bin/env node
import '../../../apps/api/bin/check-node.js'
import { buildOnce } from '../../../tools/build-once.js'

/** What Ctrl-C does: until something has been started, just this. */
let stop = (exitCode) => process.exit(exitCode)
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => stop(0))

// By default Node.js opens a debugger on this signal, which lets anyone on this machine run code in the process.
process.on('SIGUSR1', () => {})

// The shell that npm puts between ends at a signal without a word to its child: whoever ends `npm start` means this.
const parent = process.ppid
if (process.env.npm_lifecycle_event !== undefined) {
  setInterval(() => process.ppid !== parent && stop(0), 500).unref()
}

try {
  await buildOnce(console.log)
} catch (error) {
  console.error(error.message)
  process.exit(1)
}
const demo = await import('../dist/demo.js')
stop = demo.stop
await demo.start()
