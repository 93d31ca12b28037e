/** What kind of thing a project is: it decides what has to be asked, and what is shown at the end. */
export interface Kind {
  readonly id: 'site' | 'client' | 'app' | 'proxy' | 'backend'
  readonly text: string
  readonly note: string
  /** Where its logins come back to, or what it protects. */
  readonly asks: 'redirects' | 'hosts' | 'nothing'
  /** It speaks OpenID Connect; a public client has no secret. */
  readonly oidc?: { readonly enabled: true; readonly publicClient: boolean }
}

export const kinds: readonly [Kind, ...Kind[]] = [
  {
    id: 'site',
    text: 'A site that you build',
    note: 'Next.js, Express, SvelteKit, Python and others, with the client library.',
    asks: 'redirects',
  },
  {
    id: 'client',
    text: 'An app with OpenID Connect',
    note: 'A wiki, a forum, Grafana: it asks for an issuer, a client id and a secret.',
    asks: 'redirects',
    oidc: { enabled: true, publicClient: false },
  },
  {
    id: 'app',
    text: 'An app without a server',
    note: 'In the browser or on a phone: OpenID Connect without a secret.',
    asks: 'redirects',
    oidc: { enabled: true, publicClient: true },
  },
  {
    id: 'proxy',
    text: 'Pages behind a reverse proxy',
    note: 'nginx, Caddy, Traefik or Apache asks before each request.',
    asks: 'hosts',
  },
  {
    id: 'backend',
    text: 'A bot or another backend',
    note: 'It reads members and roles. Nobody logs in to it.',
    asks: 'nothing',
  },
]

export const kindOf = (id: string | undefined): Kind => kinds.find((kind) => kind.id === id) ?? kinds[0]
