/**
 * The time in which a used refresh token is still accepted, in seconds: the second of two simultaneous requests
 * presents a token that the first one has just used. A later use means that the token was stolen, or the pair that
 * replaced it.
 */
export const refreshGraceSec = 30
