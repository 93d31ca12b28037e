/**
 * Thrown by a command that cannot continue, for a reason that a person can fix. Only its message is printed, without a
 * stack trace.
 */
export class StartRefused extends Error {
  override readonly name = 'StartRefused'
}
