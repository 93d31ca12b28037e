import { Command } from 'commander'
import { version } from '#platform/version'

/** Errors that say what to do; told by name, so that no command loads what only another one needs. */
const mendable = ['StartRefused', 'FolderInUse', 'FolderUnusable', 'MigrationRefused']

/** 128 + SIGPIPE: what a shell answers for a program whose reader has gone, such as `head`. */
const readerGone = 141
let isService = false
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    // The service goes on unread: what it says is lost, and nothing else.
    if (!isService) process.exit(readerGone)
  })
}

const program = new Command('rolecall')
  .description('Membership identity and sessions for communities on a chat platform.')
  .version(version)
  .showHelpAfterError('(run `rolecall --help` for what there is)')
  .addHelpText(
    'after',
    `
Everything is configured by environment variables, or by a .env file in the working folder;
see docs/reference/configuration.md. Every command exits 0 when all is well and 1 when not.

Examples:
  rolecall doctor                       is everything in place?
  rolecall migrate && rolecall serve    start a new version
  DATABASE_URL=postgres://… rolecall audit verify
  PUBLIC_URL=https://id.example rolecall openapi > openapi.json`,
  )

program
  .command('serve')
  .description('run the service')
  .addHelpText(
    'after',
    `
Applies missing migrations, then listens on HOST:PORT until it gets SIGTERM or SIGINT.
NODE_ENV=production makes every problem of the configuration fatal.

Examples:
  rolecall serve                                        embedded database in .rolecall/db
  DATABASE_URL=postgres://… CACHE_URL=redis://… rolecall serve`,
  )
  .action(async () => {
    isService = true
    await (await import('./serve.ts')).serve()
  })

program
  .command('migrate')
  .description('apply the database migrations that are missing')
  .addHelpText(
    'after',
    `
Prints the name of each, or "nothing to do". All or nothing; several may run at once.
\`serve\` does the same at its start: this is for doing it before, with other rights.

Example:
  DATABASE_URL=postgres://owner@… rolecall migrate`,
  )
  .action(async () => (await import('./cli/migrate.ts')).migrateCommand())

program
  .command('doctor')
  .description('check configuration, database, cache, bot token, main server and callback URL')
  .addHelpText(
    'after',
    `
One line each: ok, or PROBLEM with the way to mend it. Changes nothing. Exits 1 on a problem.

Examples:
  rolecall doctor
  NODE_ENV=production rolecall doctor    by the stricter rules of production`,
  )
  .action(async () => (await import('./cli/doctor.ts')).doctorCommand())

program
  .command('openapi')
  .description('print the OpenAPI 3.1 document')
  .addHelpText('after', '\nExample:\n  PUBLIC_URL=https://id.example rolecall openapi > openapi.json')
  .action(async () => (await import('./cli/openapi.ts')).openapiCommand())

program
  .command('audit')
  .description('the audit log')
  .command('verify')
  .description('check that no entry of the audit log was changed, moved or taken out')
  .addHelpText(
    'after',
    `
Walks the whole chain, from its first entry to its head, at constant memory. Prints the number of
entries and the last hash: keep it elsewhere to be able to tell later that the log was not rewritten
as a whole. Names the first entry that is broken, and exits 1.

Example:
  DATABASE_URL=postgres://… rolecall audit verify`,
  )
  .action(async () => (await import('./cli/audit-verify.ts')).auditVerifyCommand())

program
  .command('sessions')
  .description('sessions of members and administrators')
  .command('revoke')
  .description('end every session there is')
  .option('--all', 'of every member, project and administrator; nothing less can be asked for')
  .addHelpText(
    'after',
    `
Ends all sessions of projects and administrators, all single sign-on sessions of browsers, all codes that
were not exchanged and all logins under way, and leaves one entry in the audit log. Everybody logs in again;
nothing else is lost. Asks nothing. Instances may run: they refuse the old tokens from their next request on.

After a backup was restored, sessions that were revoked since it was made are good again: run this before the
service is started. API keys that were revoked or replaced since then are good again, too: the audit log that
was kept elsewhere, or the projects, know which.

Example:
  DATABASE_URL=postgres://… rolecall sessions revoke --all`,
  )
  .action(async (options: { all?: boolean }) =>
    (await import('./cli/sessions-revoke.ts')).sessionsRevokeCommand(options),
  )

try {
  await program.parseAsync()
} catch (error) {
  // What a person can mend is a sentence; anything else is a defect, and keeps its stack.
  const isPlain = error instanceof Error && mendable.includes(error.name)
  console.error(isPlain ? error.message : error)
  // At once: a timer or a connection that the failed start has left open must not keep it running.
  process.exit(1)
}
