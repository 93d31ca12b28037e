/** A reason not to start that a person can mend: printed as it is, without a stack. */
export class CannotStart extends Error {
  override readonly name = 'CannotStart'
}
