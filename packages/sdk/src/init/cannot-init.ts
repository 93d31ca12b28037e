/** Why nothing was written, in one sentence for whoever typed the command. */
export class CannotInit extends Error {}
