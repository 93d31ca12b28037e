/**
 * Thrown if `rolecall-init` cannot continue. It has written no file then. The message says why, in words for the user.
 */
export class CannotInit extends Error {}
