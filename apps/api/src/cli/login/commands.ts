import type { Command } from 'commander'
import type { LoginOptions } from './login.ts'

const addressMeaning = 'address of the service; default: PUBLIC_URL'

/**
 * Adds the commands that sign a shell in to the administration of a service. The service may run on another machine.
 */
export function addSessionCommands(program: Command): void {
  program
    .command('login')
    .description('sign in to the administration of a service, with a browser')
    .argument('[address]', addressMeaning)
    .option('--paste', 'show a code on a page to paste here, for machines without a browser')
    .option('--wait <seconds>', 'seconds to wait for the browser', '300')
    .addHelpText(
      'after',
      `
Opens a browser, which signs in and asks you to confirm. The session is stored for your user only in
$XDG_STATE_HOME/rolecall/session (~/.local/state/rolecall/session), one for each address. Sign in again when it ends.

Examples:
  rolecall login https://id.example
  rolecall login --paste https://id.example`,
    )
    .action(async (address: string | undefined, options: LoginOptions) =>
      (await import('./login.ts')).loginCommand(address, options),
    )

  program
    .command('token')
    .description('print the session token of `rolecall login`, for requests to the API')
    .argument('[address]', addressMeaning)
    .addHelpText(
      'after',
      `
Checks that the session is still valid. If it is not, exits with 1 and asks you to sign in again.

Example:
  ADMIN_TOKEN=$(rolecall token https://id.example)`,
    )
    .action(async (address: string | undefined) => (await import('./use-session.ts')).tokenCommand(address))

  program
    .command('logout')
    .description('end the session of `rolecall login`, and remove it from this machine')
    .argument('[address]', addressMeaning)
    .addHelpText('after', '\nExample:\n  rolecall logout https://id.example')
    .action(async (address: string | undefined) => (await import('./use-session.ts')).logoutCommand(address))
}
