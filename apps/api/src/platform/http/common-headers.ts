/**
 * Returns the headers of every response. Unless an endpoint overrides them, a response is never cached, framed,
 * sniffed, or named in a referrer.
 */
export const commonHeaders = (publicUrl: string) => ({
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'; base-uri 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  ...(publicUrl.startsWith('https:') && {
    'strict-transport-security': 'max-age=31536000; includeSubDomains',
  }),
})

/**
 * The headers of every response for a protected host. Such a host decides about its own transport policy, so this
 * service sends none for it.
 */
export const headersElsewhere = commonHeaders('http:')
