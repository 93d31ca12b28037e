#!/usr/bin/env node
import '../../../apps/api/bin/check-node.js'
import { buildOnce } from '../../../tools/build-once.js'

/** The handler of Ctrl-C, which only exits until something has been started. */
let stop = (exitCode) => process.exit(exitCode)
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => stop(0))

// By default Node.js opens a debugger on this signal, which lets anyone on this machine run code in the process.
process.on('SIGUSR1', () => {})

// The shell between npm and this process ends at a signal without passing it on. The end of `npm start` must end the
// demo.
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
