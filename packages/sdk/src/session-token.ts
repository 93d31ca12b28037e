/**
 * True when a value may be a session token of the service. What a visitor made up is not asked about: a site's limit at
 * the service is for its members.
 */
export const maybeSessionToken = (value: string): boolean => /^rcs_[0-9A-Za-z]{49}$/.test(value)
