/** A command that cannot go on for a reason that a person can mend: printed as it is, without a stack. */
export class StartRefused extends Error {
  override readonly name = 'StartRefused'
}
