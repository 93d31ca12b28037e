const initials = new Map([
  ['id', 'ID'],
  ['url', 'URL'],
  ['uri', 'URI'],
  ['uris', 'URIs'],
  ['api', 'API'],
  ['sso', 'SSO'],
  ['ttl', 'TTL'],
  ['ms', '(ms)'],
  ['sec', '(s)'],
  ['oidc', 'OpenID Connect'],
])

/** Returns the name of a field as a label, e.g. `Webhook URL` for `webhookUrl`. */
export function labelOf(key: string): string {
  const words = key.replaceAll(/([a-z])([A-Z])/g, '$1 $2').split(' ')
  const [first = '', ...rest] = words.map((word) => initials.get(word.toLowerCase()) ?? word.toLowerCase())
  return [first.charAt(0).toUpperCase() + first.slice(1), ...rest].join(' ')
}
