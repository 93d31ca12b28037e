import type { AdminAnswer } from '@rolecall/sdk/admin'
import { RolecallError } from '@rolecall/sdk/admin'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { question } from '../../api/queries.ts'
import { ButtonLink } from '../../components/button.tsx'
import { Code, Copyable, Secret } from '../../components/copy.tsx'
import { guideAddress } from '../../components/guides.ts'
import { Facts, Page, Panel } from '../../components/page.tsx'
import { Notice, Problem } from '../../components/states.tsx'
import type { Listing } from './guide-code.ts'
import type { Kind } from './kinds.ts'
import { pythonStack, stacks } from './stacks.ts'

interface CreatedProjectProps {
  readonly answer: AdminAnswer<'createProject'>
  readonly redirects: readonly string[]
  /** The error that prevented the redirect URIs from being saved. */
  readonly failure?: unknown
  readonly kind: Kind
  readonly stack: string
}

/** The page that appears after a project is created. It shows the key once, and the next steps. */
export const CreatedProject = ({ answer, redirects, failure, kind, stack }: CreatedProjectProps) => {
  const { project, apiKey } = answer
  return (
    <Page
      title={`“${project.name}” is ready`}
      up={{ to: '/projects', text: 'Projects' }}
      width="narrow"
      actions={
        <ButtonLink kind="main" to="/projects/$id" params={{ id: project.id }}>
          Open project
        </ButtonLink>
      }
    >
      {kind.oidc?.publicClient !== true && (
        <Notice tone="good" title="Copy the key now. It is not shown again.">
          <Secret text={apiKey} label="API key" takesFocus={false} />
        </Notice>
      )}
      {failure instanceof RolecallError && (
        <Problem error={failure} title="The redirect URIs were not saved. Add them on the project page." />
      )}
      {kind.id === 'site' && <SiteCode answer={answer} redirects={redirects} first={stack} />}
      {kind.oidc && <OpenIdConnect answer={answer} isPublic={kind.oidc.publicClient} />}
      {kind.id === 'backend' && <BackendCode answer={answer} />}
      {kind.id === 'proxy' && <ProxyNext />}
    </Page>
  )
}

function SiteCode({
  answer,
  redirects,
  first,
}: Pick<CreatedProjectProps, 'answer' | 'redirects'> & { first: string }) {
  const [stack, setStack] = useState(first)
  const [listings, setListings] = useState<readonly Listing[]>([])
  const { project, apiKey } = answer
  const [redirect = ''] = redirects
  // Shows the same secret for all stacks, because the user may have saved it before they choose another stack.
  const [secret] = useState(randomSecret)
  const serverId = project.serverAccess[0]?.serverId
  const roles = useQuery({
    ...question('listRoles', { params: { id: serverId ?? '' } }),
    enabled: serverId !== undefined,
  })
  const role = roles.data?.data.find(({ id }) => id !== serverId)
  useEffect(() => {
    const values = {
      ROLECALL_URL: location.origin,
      ROLECALL_API_KEY: apiKey,
      ROLECALL_CLIENT_ID: project.id,
      ...(serverId !== undefined && { ROLECALL_SERVER_ID: serverId }),
      ...(redirect && { ROLECALL_APP_URL: new URL(redirect).origin }),
      ROLECALL_SECRET: secret,
    }
    let isCurrent = true
    const load = async () => {
      const { loadListings } = await import('./guide-code.ts')
      const found = await loadListings(stack, values, role)
      if (isCurrent) setListings(found)
    }
    void load()
    return () => {
      isCurrent = false
    }
  }, [stack, apiKey, project, redirect, serverId, secret, role])
  return (
    <Panel title="Add it to your app" note="The environment below contains the values of this project.">
      <div className="stack">
        <fieldset className="stack-choice">
          <legend className="unseen">Stack</legend>
          {stacks.map(([id, text]) => (
            <label key={id}>
              <input type="radio" name="stack" checked={stack === id} onChange={() => setStack(id)} />
              {text}
            </label>
          ))}
        </fieldset>
        {redirect !== '' && !redirect.endsWith('/auth/callback') && (
          <Notice tone="warn" title="This code expects a redirect URI that ends in /auth/callback">
            Your first redirect URI is {redirect}. Add one that ends in /auth/callback.
          </Notice>
        )}
        {stack === pythonStack ? (
          <p>
            The Python package is not in a package index yet. Install it from a clone of the Rolecall
            repository. Its README also covers Django.
          </p>
        ) : (
          <p>
            The client library is not in a registry yet. In the Rolecall repository,{' '}
            <code>npm run pack -w packages/sdk</code> prints the path of a tarball. Install it with{' '}
            <code>npm install</code> and that path. Then copy the files below, or let the last command write
            them.
          </p>
        )}
        {listings.map(({ title, text }) => (
          <Code key={`${stack} ${title}`} title={title} text={text} />
        ))}
        {stack !== pythonStack && (
          <Code
            title="Or save the key in key.txt, and write these files with one command"
            text={[
              'npx --no --offline rolecall-init',
              `--url ${location.origin}`,
              `--client-id ${project.id}`,
              ...(serverId === undefined ? [] : [`--server-id ${serverId}`]),
              ...(redirect === '' ? [] : [`--app-url ${new URL(redirect).origin}`]),
              '--key - < key.txt',
            ].join(' ')}
          />
        )}
      </div>
    </Panel>
  )
}

/**
 * Returns a secret for the site, which seals its cookies with it. The secret is generated in the browser, and never
 * stored or sent.
 */
function randomSecret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32))
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

const OpenIdConnect = ({ answer, isPublic }: Pick<CreatedProjectProps, 'answer'> & { isPublic: boolean }) => (
  <Panel title="Values for the app">
    <Facts
      of={[
        ['Issuer', <Copyable key="issuer" text={location.origin} />],
        [
          'Discovery',
          <Copyable key="discovery" text={`${location.origin}/.well-known/openid-configuration`} />,
        ],
        ['Client ID', <Copyable key="id" text={answer.project.id} />],
        ['Client secret', isPublic ? 'None: PKCE (S256) instead' : 'The key above'],
        ['Scopes', 'openid profile email roles, and offline_access for a refresh token'],
      ]}
    />
  </Panel>
)

const BackendCode = ({ answer: { project, apiKey } }: Pick<CreatedProjectProps, 'answer'>) => {
  const server = project.serverAccess[0]?.serverId ?? 'the server’s ID'
  return (
    <Code
      title="List the members of the server"
      text={`curl -s '${location.origin}/api/servers/${server}/members?limit=50' \\\n  -H 'x-api-key: ${apiKey}'`}
    />
  )
}

const ProxyNext = () => (
  <Notice title="One step is left">
    Configure the proxy to call {location.origin}/api/forward-auth before each request. The guide on{' '}
    <a href={guideAddress('forward-auth')} target="_blank" rel="noreferrer">
      reverse proxies
    </a>{' '}
    has the configuration for nginx, HAProxy, Caddy, Apache, and Traefik.
  </Notice>
)
