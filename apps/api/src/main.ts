import { Command } from 'commander'
import { isTooManyFiles, tooManyFiles } from '#platform/too-many-files'
import { version } from '#platform/version'
import type { InitOptions } from './cli/init.ts'
import { addSessionCommands } from './cli/login/commands.ts'

/**
 * Errors whose messages tell how to fix them. They are recognized by name, so that a command need not load the modules
 * of the others.
 */
const mendable = ['StartRefused', 'FolderInUse', 'FolderUnusable', 'MigrationRefused']

/** The exit code that shells report for a program whose reader has exited, such as `head`: 128 + SIGPIPE. */
const readerGone = 141
let isService = false
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    // The service continues without a reader. Only its output is lost.
    if (!isService) process.exit(readerGone)
  })
}

const program = new Command('rolecall')
  .description('Sign-in, sessions, and live roles for Discord communities.')
  .version(version)
  .showHelpAfterError('(run `rolecall --help` for the list of commands)')
  .addHelpText(
    'after',
    `
Set environment variables, or write them to a .env file in the working folder; see
docs/reference/configuration.md. Every command exits with 0 on success and 1 on a problem.

Examples:
  rolecall doctor                       check the setup
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
Applies missing migrations, then listens on HOST:PORT until it receives SIGTERM or SIGINT.
With NODE_ENV=production, every configuration problem is fatal.

Examples:
  rolecall serve                                        embedded database in .rolecall/db
  DATABASE_URL=postgres://… CACHE_URL=redis://… rolecall serve`,
  )
  .action(async () => {
    isService = true
    await (await import('./serve.ts')).serve()
  })

program
  .command('init')
  .description('write the configuration with new keys, and create the first project')
  .option('--output <file>', 'file to write; it must not exist', '.env')
  .option('--server <id>', 'ID of the main server')
  .option('--admin-role <role>', 'name or ID of the role for System Admins')
  .option('--public-url <address>', 'address for browsers')
  .option('--database <url>', 'postgres://… or pglite:<folder>')
  .option('--project <name>', 'name of the first project')
  .option('--redirect-uri <address>', 'redirect URI of that project')
  .option('--compose', 'for deploy/compose.yml: use its database and cache, with a new password')
  .addHelpText(
    'after',
    `
Prompts for each missing option and checks each answer with Discord. The file works with .env, compose,
systemd, and docker --env-file, and only its owner can read it. Without a terminal, the command does not prompt: it
lists all missing values. Secrets come from the environment or from files, never from options:
CHAT_BOT_TOKEN or CHAT_BOT_TOKEN_FILE, CHAT_CLIENT_SECRET or CHAT_CLIENT_SECRET_FILE.

Examples:
  rolecall init
  rolecall init --server 110… --admin-role Steward --public-url https://id.example --project Site --redirect-uri https://site.example/callback`,
  )
  .action(async (options: InitOptions) => (await import('./cli/init.ts')).initCommand(options))

program
  .command('projects')
  .description('manage projects, the sites that sign members in')
  .command('create')
  .description('create a project, and print its ID and API key')
  .argument('<name>', 'name of the project')
  .requiredOption('--redirect-uri <address>', 'redirect URI; separate several with commas')
  .showHelpAfterError('(run `rolecall projects create --help` for its options)')
  .addHelpText(
    'after',
    `
The project can sign in members of the main server. The key is shown only once. With PostgreSQL, instances can keep
running. With the embedded database, stop the service first.

Example:
  rolecall projects create Site --redirect-uri https://site.example/callback`,
  )
  .action(async (name: string, options: { redirectUri: string }) =>
    (await import('./cli/projects-create.ts')).projectsCreateCommand(name, options),
  )

for (const [name, what, example] of [
  ['backup', 'write the embedded database to a file', 'rolecall backup rolecall-2026-11-22.tar.gz'],
  ['restore', 'restore a backup of the embedded database', 'rolecall restore rolecall-2026-11-22.tar.gz'],
] as const) {
  program
    .command(name)
    .description(what)
    .argument('<file>', name === 'backup' ? 'file to write; it must not exist' : 'file that `backup` wrote')
    .addHelpText(
      'after',
      `
Stop the service first: only one process at a time can use the embedded database. For PostgreSQL, use pg_dump and
pg_restore; see docs/guides/backup.md. No backup contains the encryption keys.

Example:
  ${example}`,
    )
    .action(async (file: string) => (await import('./cli/backup.ts'))[name](file))
}

program
  .command('migrate')
  .description('apply missing database migrations')
  .addHelpText(
    'after',
    `
Prints the name of each applied migration, or "nothing to do". If a migration fails, it has no effect, and the earlier
ones stay applied. Several commands can run at once.
\`serve\` does the same when it starts. Use this command to migrate earlier, with another database role.

Example:
  DATABASE_URL=postgres://owner@… rolecall migrate`,
  )
  .action(async () => (await import('./cli/migrate.ts')).migrateCommand())

program
  .command('doctor')
  .description('check configuration, database, cache, bot token, main server, and callback URL')
  .addHelpText(
    'after',
    `
Prints one line for each check: ok, or PROBLEM with the fix. Changes nothing. Exits with 1 on a problem.

Examples:
  rolecall doctor
  NODE_ENV=production rolecall doctor    with the stricter rules of production`,
  )
  .action(async () => {
    await (await import('./cli/doctor.ts')).doctorCommand()
    // A dependency that is broken may have left a connection open, which would keep the process running. The empty
    // write lets a closed pipe be reported first.
    process.stdout.write('', () => setImmediate(() => process.exit()))
  })

program
  .command('openapi')
  .description('print the OpenAPI 3.1 document')
  .addHelpText('after', '\nExample:\n  PUBLIC_URL=https://id.example rolecall openapi > openapi.json')
  .action(async () => (await import('./cli/openapi.ts')).openapiCommand())

program
  .command('audit')
  .description('the audit log')
  .command('verify')
  .description('check that no entry of the audit log was changed, moved, or removed')
  .addHelpText(
    'after',
    `
Verifies the whole chain, from its first entry to its head, with constant memory. Prints the number of entries
and the last hash. Keep the hash elsewhere: a later check can then detect that the whole log was rewritten. On a
broken entry, names the first one and exits with 1.

Example:
  DATABASE_URL=postgres://… rolecall audit verify`,
  )
  .action(async () => (await import('./cli/audit-verify.ts')).auditVerifyCommand())

program
  .command('sessions')
  .description('sessions of members and administrators')
  .command('revoke')
  .description('end all sessions')
  .option('--all', 'required: ends the sessions of every member, project, and administrator')
  .addHelpText(
    'after',
    `
Ends all sessions of projects and administrators, all single sign-on sessions, all unused codes, and all sign-ins
in progress, and writes one entry to the audit log. Everyone has to sign in again. Nothing else is lost. The command
does not ask for confirmation. Instances can keep running: they reject the old tokens from the next request.

A restored backup makes sessions valid again that were revoked after the backup. Run this command before you start
the service. API keys that were revoked or replaced after the backup are valid again, too. To find them, use a copy
of the audit log from elsewhere, or ask the projects.

Example:
  DATABASE_URL=postgres://… rolecall sessions revoke --all`,
  )
  .action(async (options: { all?: boolean }) =>
    (await import('./cli/sessions-revoke.ts')).sessionsRevokeCommand(options),
  )

program
  .command('oidc')
  .description('OpenID Connect')
  .command('rotate-keys')
  .description('create a new signing key for ID tokens')
  .addHelpText(
    'after',
    `
The key is published immediately and starts signing after an hour, because sites cache the published keys for that
long. The current key stays published to verify its signatures. Instances can keep running. Without this command,
keys are replaced every 90 days.

Example:
  DATABASE_URL=postgres://… OUTBOUND_WEBHOOK_ENCRYPTION_KEY=… rolecall oidc rotate-keys`,
  )
  .action(async () => (await import('./cli/oidc-rotate-keys.ts')).oidcRotateKeysCommand())

addSessionCommands(program)

try {
  await program.parseAsync()
} catch (error) {
  // Prints only the message of an error that a person can fix. Any other error is a defect, so its stack trace is
  // printed, too.
  const isPlain = error instanceof Error && mendable.includes(error.name)
  if (isTooManyFiles(error)) console.error(tooManyFiles)
  else console.error(isPlain ? error.message : error)
  // Exits immediately, because a timer or connection of the failed start could keep the process running.
  process.exit(1)
}
