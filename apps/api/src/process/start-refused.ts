/**
 * Thrown by a command that cannot continue for a reason that a person can fix. Its message is printed without a stack.
 */
export class StartRefused extends Error {
  override readonly name = 'StartRefused'
}
