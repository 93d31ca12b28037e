import { Command } from 'commander'
import { isTooManyFiles, tooManyFiles } from '#platform/too-many-files'
import { version } from '#platform/version'
import type { InitOptions } from './cli/init.ts'
import { addSessionCommands } from './cli/login/commands.ts'

/**
 * The errors with a message that says how to fix them. Matched by name, so that no command loads the modules of
 * another.
 */
const mendable = ['StartRefused', 'FolderInUse', 'FolderUnusable', 'MigrationRefused']

/** 128 + SIGPIPE: the exit code that a shell reports for a program after its reader has exited, such as `head`. */
const readerGone = 141
let isService = false
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    // The service continues without a reader: only its output is lost.
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
  .command('init')
  .description('make the configuration, with fresh keys, and the first project')
  .option('--output <file>', 'what is written; refused where it exists', '.env')
  .option('--server <id>', 'id of the main server')
  .option('--admin-role <role>', 'role that makes its members System Admins: its name or id')
  .option('--public-url <address>', 'address that browsers will use')
  .option('--database <url>', 'postgres://… or pglite:<folder>')
  .option('--project <name>', 'name of the first project')
  .option('--redirect-uri <address>', 'where logins of that project come back to')
  .option('--compose', 'for deploy/compose.yml: its database and cache, with a fresh password')
  .addHelpText(
    'after',
    `
Asks what no option says, checks each answer at the chat platform before the next, and writes a file that .env,
compose, systemd and docker --env-file read alike; only its owner may. Without a terminal nothing is asked: then what
lacks is named, all at once. Secrets come from the environment or from files, never from options:
CHAT_BOT_TOKEN or CHAT_BOT_TOKEN_FILE, CHAT_CLIENT_SECRET or CHAT_CLIENT_SECRET_FILE.

Examples:
  rolecall init
  rolecall init --server 110… --admin-role Steward --public-url https://id.example --project Site --redirect-uri https://site.example/callback`,
  )
  .action(async (options: InitOptions) => (await import('./cli/init.ts')).initCommand(options))

program
  .command('projects')
  .description('sites that log members in')
  .command('create')
  .description('register a project, and print its id and API key')
  .argument('<name>', 'its name')
  .requiredOption('--redirect-uri <address>', 'where logins come back to; several with commas between them')
  .showHelpAfterError('(run `rolecall projects create --help` for its options)')
  .addHelpText(
    'after',
    `
It may log in members of the main server. The key is shown this once. Instances may run.

Example:
  rolecall projects create Site --redirect-uri https://site.example/callback`,
  )
  .action(async (name: string, options: { redirectUri: string }) =>
    (await import('./cli/projects-create.ts')).projectsCreateCommand(name, options),
  )

for (const [name, what, example] of [
  ['backup', 'write the embedded database into a file', 'rolecall backup rolecall-2026-11-22.tar.gz'],
  ['restore', 'put a backup of the embedded database back', 'rolecall restore rolecall-2026-11-22.tar.gz'],
] as const) {
  program
    .command(name)
    .description(what)
    .argument('<file>', name === 'backup' ? 'written; refused where it exists' : 'what `backup` wrote')
    .addHelpText(
      'after',
      `
The service is stopped meanwhile: one process at a time has the embedded database. PostgreSQL has its own tools:
pg_dump and pg_restore, see docs/guides/backup.md. The encryption keys are in neither.

Example:
  ${example}`,
    )
    .action(async (file: string) => (await import('./cli/backup.ts'))[name](file))
}

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
  .action(async () => {
    await (await import('./cli/doctor.ts')).doctorCommand()
    // A dependency that the doctor found broken may have left a handle open, which would keep the process running.
    // The write reports a closed pipe first.
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

program
  .command('oidc')
  .description('OpenID Connect')
  .command('rotate-keys')
  .description('make a new key that ID tokens are signed with')
  .addHelpText(
    'after',
    `
The key is published at once and signs in an hour: sites keep what they know of keys for so long. The one that signs
today is kept, to check what it has signed. Instances may run. Without this command keys are replaced every 90 days.

Example:
  DATABASE_URL=postgres://… OUTBOUND_WEBHOOK_ENCRYPTION_KEY=… rolecall oidc rotate-keys`,
  )
  .action(async () => (await import('./cli/oidc-rotate-keys.ts')).oidcRotateKeysCommand())

addSessionCommands(program)

try {
  await program.parseAsync()
} catch (error) {
  // Prints an error that a person can fix as a sentence. Any other error is a defect, and keeps its stack.
  const isPlain = error instanceof Error && mendable.includes(error.name)
  if (isTooManyFiles(error)) console.error(tooManyFiles)
  else console.error(isPlain ? error.message : error)
  // Exits at once: a timer or a connection that the failed start has left open must not keep the process running.
  process.exit(1)
}
