#!/usr/bin/env node
import '../../../apps/api/bin/check-node.js'
import { buildOnce } from '../../../tools/build-once.js'

/** The handler of Ctrl-C. It only exits until there is something to stop. */
let stop = (exitCode) => process.exit(exitCode)
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => stop(0))

// Ignores SIGUSR1. By default, Node.js would open a debugger, with which anyone on this machine could run code here.
process.on('SIGUSR1', () => {})

// The demo must end when `npm start` ends. But the shell between npm and this process ends at a signal without passing
// it on. So this watches the parent process.
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
