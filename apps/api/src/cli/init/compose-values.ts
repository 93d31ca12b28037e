import { randomBytes } from 'node:crypto'

/** Returns the values for the network of `deploy/compose.yml`, with a new password for its database. */
export function composeValues() {
  const password = randomBytes(24).toString('base64url')
  return {
    values: {
      NODE_ENV: 'production',
      DATABASE_URL: `postgres://rolecall:${password}@postgres:5432/rolecall`,
      CACHE_URL: 'redis://valkey:6379',
      HOST: '0.0.0.0',
      PORT: '3000',
      TRUST_PROXY: '10.89.57.0/24',
    },
    extra: { POSTGRES_PASSWORD: password },
  }
}
