import { Command } from 'commander'
import { FolderInUse } from '#platform/db/folder-lock'
import { MigrationRefused } from '#platform/db/migrate'
import { StartRefused, serve } from './serve.ts'
import { version } from './version.ts'

const program = new Command('rolecall')
  .description('Membership identity and sessions for communities on a chat platform.')
  .version(version)
  .addHelpText(
    'after',
    '\nEverything is configured by environment variables; see docs/reference/configuration.md.',
  )

program.command('serve').description('run the service').action(serve)

try {
  await program.parseAsync()
} catch (error) {
  // What a person can mend is a sentence; anything else is a defect, and keeps its stack.
  const isPlain = [StartRefused, FolderInUse, MigrationRefused].some((kind) => error instanceof kind)
  console.error(isPlain ? (error as Error).message : error)
  process.exitCode = 1
}
