// Prepares the process for signals, and ends it on an older Node.js, before a module is loaded that would fail with a
// stack.

// By default Node.js opens a debugger on this signal, which lets anyone on this machine run code in the process. Loading
// the service takes a moment, so this comes first.
process.on('SIGUSR1', () => {})
// By default this signal ends the process at once. Tools that rotate log files send it to every program.
process.on('SIGUSR2', () => {})
// In a container, this process is PID 1. The system then ignores every signal that has no listener, so a stop during the
// start would be lost. As soon as the program stops in its own way, its listeners decide.
if (process.pid === 1) {
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT']) {
    process.on(signal, (_, number) => {
      if (process.listenerCount(signal) === 1) process.exit(128 + number)
    })
  }
}

const oldest = [20, 19]

/**
 * Returns the problem with a version of Node.js, or undefined.
 *
 * @param {string} version
 */
export function problemOfNode(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const isOld = major < oldest[0] || (major === oldest[0] && minor < oldest[1])
  return isOld
    ? `Rolecall needs Node.js ${oldest.join('.')} or later; this is ${version}. Install a newer one from https://nodejs.org.`
    : undefined
}

const problem = problemOfNode(process.versions.node)
if (problem !== undefined) {
  console.error(problem)
  process.exit(1)
}
