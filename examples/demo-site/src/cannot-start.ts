/** Thrown for a problem that the user can fix. Its message is printed without a stack trace. */
export class CannotStart extends Error {
  override readonly name = 'CannotStart'
}
