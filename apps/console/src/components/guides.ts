/** The guides to which the console links, by their file in docs/guides. */
export const guides = {
  administering: 'Administering',
  discord: 'Discord',
  events: 'Events',
  'first-project': 'Create a project',
  'forward-auth': 'Forward authentication',
  'inbound-webhooks': 'Inbound webhooks',
  monitoring: 'Monitoring',
  'openid-connect': 'OpenID Connect',
} as const

/** The name of a guide to which the console links. */
export type Guide = keyof typeof guides

/** Returns the address of a guide. */
export const guideAddress = (guide: Guide): string => docsAddress(`guides/${guide}`)

/**
 * Returns the address of a page of the documentation, by its path in docs. The console's HTML says where the
 * documentation is: at the service if it serves the documentation, or else in the repository.
 */
export function docsAddress(path: string): string {
  const places = document.querySelector<HTMLMetaElement>('meta[name="rolecall-docs"]')?.content ?? ''
  return places.replace('*', path)
}
