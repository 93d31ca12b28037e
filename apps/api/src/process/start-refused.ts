/** Thrown by a command that cannot continue for a reason that a person can fix: printed as it is, without a stack. */
export class StartRefused extends Error {
  override readonly name = 'StartRefused'
}
