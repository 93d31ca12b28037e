/**
 * The time in which a used refresh token may be presented again, because one of two simultaneous requests arrives
 * second. Later it was stolen, or the pair was.
 */
export const refreshGraceSec = 30
