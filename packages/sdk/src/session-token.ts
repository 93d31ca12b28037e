/**
 * True if a value has the form of a session token. Values that a visitor made up are not sent to the service: a site's
 * rate limit there is for its members.
 */
export const maybeSessionToken = (value: string): boolean => /^rcs_[0-9A-Za-z]{49}$/.test(value)
