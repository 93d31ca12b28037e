/** The reason, in one sentence for the user, for which no file was written. */
export class CannotInit extends Error {}
