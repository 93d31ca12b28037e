/** A kind of project. It decides which questions the form asks, and which instructions follow at the end. */
export interface Kind {
  readonly id: 'site' | 'client' | 'app' | 'proxy' | 'backend'
  readonly text: string
  readonly note: string
  /** The addresses to ask for: its redirect URIs, the hosts that it protects, or none. */
  readonly asks: 'redirects' | 'hosts' | 'nothing'
  /** The project uses OpenID Connect. A public client has no secret. */
  readonly oidc?: { readonly enabled: true; readonly publicClient: boolean }
}

/** The kinds of projects, in the order in which the form offers them. */
export const kinds: readonly [Kind, ...Kind[]] = [
  {
    id: 'site',
    text: 'A site that you build',
    note: 'Next.js, Express, SvelteKit, Python, and others, with the client library.',
    asks: 'redirects',
  },
  {
    id: 'client',
    text: 'An app with OpenID Connect',
    note: 'A wiki, a forum, or Grafana: it needs an issuer, a client ID, and a client secret.',
    asks: 'redirects',
    oidc: { enabled: true, publicClient: false },
  },
  {
    id: 'app',
    text: 'An app without a backend',
    note: 'It runs in the browser or on a phone and uses OpenID Connect without a secret.',
    asks: 'redirects',
    oidc: { enabled: true, publicClient: true },
  },
  {
    id: 'proxy',
    text: 'Pages behind a reverse proxy',
    note: 'nginx, HAProxy, Caddy, Apache, or Traefik checks each request with Rolecall.',
    asks: 'hosts',
  },
  {
    id: 'backend',
    text: 'A bot or another backend',
    note: 'It reads members and roles. Members do not sign in to it.',
    asks: 'nothing',
  },
]

/** Returns the kind with an ID, or the first kind if there is none. */
export const kindOf = (id: string | undefined): Kind => kinds.find((kind) => kind.id === id) ?? kinds[0]
