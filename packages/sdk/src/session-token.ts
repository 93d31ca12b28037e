/**
 * Returns true if a value has the form of a session token. Values that a visitor invented are not sent to the service,
 * because they would use up the site's rate limit.
 */
export const maybeSessionToken = (value: string): boolean => /^rcs_[0-9A-Za-z]{49}$/.test(value)
