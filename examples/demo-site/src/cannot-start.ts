/** A reason that a person can fix, printed as it is, without a stack. */
export class CannotStart extends Error {
  override readonly name = 'CannotStart'
}
