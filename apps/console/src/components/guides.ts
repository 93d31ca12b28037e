/** Guides that pages of the console link to, by their file in docs/guides. */
export const guides = {
  administering: 'Administering',
  discord: 'Discord',
  events: 'Events',
  'first-project': 'Your first project',
  'forward-auth': 'Forward authentication',
  'inbound-webhooks': 'Inbound webhooks',
  monitoring: 'Monitoring',
  'openid-connect': 'OpenID Connect',
} as const

export type Guide = keyof typeof guides

/** Returns the public address of a guide. A link opens it; the console itself sends requests to no other origin. */
export const guideAddress = (guide: Guide): string =>
  `https://github.com/rolecall/rolecall/blob/main/docs/guides/${guide}.md`
