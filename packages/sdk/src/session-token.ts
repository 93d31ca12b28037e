/**
 * Returns true if a value has the form of a session token. The client does not send other values to the service,
 * because invented values would use up the site's rate limit.
 */
export const maybeSessionToken = (value: string): boolean => /^rcs_[0-9A-Za-z]{49}$/.test(value)
