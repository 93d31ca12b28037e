import { generateKeyPairSync } from 'node:crypto'
import { Redis } from 'ioredis'
import Provider, { type Adapter, type AdapterPayload, type JWK } from 'oidc-provider'
import { port, redisUrl, sessions, writeCredentials } from './credentials.ts'

/**
 * A peer of the benchmark: `oidc-provider` with token introspection (RFC 7662), its closest equivalent to validate. A
 * client authenticates with its secret, and introspects opaque access tokens of the authorization code flow. Each token
 * has a grant. Both are in Redis, because the in-memory adapter is for development, and has a limit of 1,000 entries.
 */
const redis = new Redis(redisUrl, { enableAutoPipelining: true })

class RedisAdapter implements Adapter {
  readonly #name: string

  constructor(name: string) {
    this.#name = name
  }

  #key(id: string) {
    return `oidc:${this.#name}:${id}`
  }

  async upsert(id: string, payload: AdapterPayload, expiresIn: number) {
    await redis.set(this.#key(id), JSON.stringify(payload), 'EX', expiresIn || 86_400)
  }

  async find(id: string): Promise<AdapterPayload | undefined> {
    const text = await redis.get(this.#key(id))
    return text ? JSON.parse(text) : undefined
  }

  // Introspection never calls the following methods.
  async findByUserCode() {
    return undefined
  }

  async findByUid() {
    return undefined
  }

  async consume() {}

  async destroy(id: string) {
    await redis.del(this.#key(id))
  }

  async revokeByGrantId() {}
}

const clientId = 'bench'
const clientSecret = 'a-secret-of-the-bench-that-is-long-enough'
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })
const key: JWK = { ...(privateKey.export({ format: 'jwk' }) as JWK), use: 'sig', alg: 'RS256' }
const provider = new Provider(`http://127.0.0.1:${port}`, {
  adapter: RedisAdapter,
  clients: [
    {
      client_id: clientId,
      client_secret: clientSecret,
      redirect_uris: ['https://site.example/callback'],
      token_endpoint_auth_method: 'client_secret_basic',
    },
  ],
  jwks: { keys: [key] },
  cookies: { keys: ['a key of the bench'] },
  ttl: { AccessToken: 86_400, Grant: 86_400 },
  features: {
    devInteractions: { enabled: false },
    introspection: { enabled: true, allowedPolicy: () => true },
  },
})

const client = await provider.Client.find(clientId)
if (!client) throw new Error('The client does not exist.')
const tokens: string[] = []
const make = async (i: number) => {
  const accountId = `member-${i}`
  const grant = new provider.Grant({ accountId, clientId })
  grant.addOIDCScope('openid profile')
  const grantId = await grant.save()
  const token = new provider.AccessToken({
    accountId,
    client,
    grantId,
    scope: 'openid profile',
    gty: 'authorization_code',
  })
  tokens.push(await token.save())
}
for (let i = 0; i < sessions; i += 100) {
  await Promise.all(Array.from({ length: Math.min(100, sessions - i) }, (_, j) => make(i + j)))
}
writeCredentials(tokens)
provider.listen(port, '127.0.0.1')
