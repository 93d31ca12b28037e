/**
 * So long may a refresh token that was used be presented once more: of two requests at the same time one comes second. Later
 * it was stolen, or the pair was.
 */
export const refreshGraceSec = 30
