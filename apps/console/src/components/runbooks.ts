import type { Attention } from '@rolecall/sdk/admin'

/** The page of the documentation that explains each condition: a runbook or a guide, by its path in docs. */
export const helpPages: Readonly<Record<Attention['code'], `${'runbooks' | 'guides'}/${string}`>> = {
  DATABASE_READ_ONLY: 'runbooks/RolecallDatabaseDown',
  DATABASE_FULL: 'runbooks/RolecallDatabaseDown',
  AUDIT_CHAIN_BROKEN: 'guides/backup',
  ENCRYPTION_KEY_MISSING: 'guides/backup',
  ENCRYPTION_KEY_CHANGED: 'guides/backup',
  GATEWAY_REFUSED: 'runbooks/RolecallRolesNotLive',
  CHAT_PLATFORM_DOWN: 'runbooks/RolecallPlatformUnavailable',
  BOT_NOT_IN_SERVER: 'runbooks/RolecallBotNotInServer',
  CACHE_DOWN: 'runbooks/RolecallCacheDown',
  GATEWAY_DOWN: 'runbooks/RolecallRolesNotLive',
  SERVER_NOT_LIVE: 'runbooks/RolecallServerNotLive',
  IDENTIFY_BUDGET_LOW: 'runbooks/RolecallGatewaySessionsLow',
  CHAT_REQUESTS_REFUSED: 'runbooks/RolecallPlatformRefuses',
  SYNC_FAILED: 'runbooks/RolecallServerNotLive',
  EVENTS_SWITCHED_OFF: 'guides/events',
  EVENTS_FAILING: 'guides/events',
  NOTICES_SWITCHED_OFF: 'guides/running',
  NOTICES_FAILING: 'guides/running',
  CLIENT_LOGOUTS_FAILING: 'runbooks/RolecallLogoutsRefused',
  SIGN_INS_FAILING: 'guides/errors',
  CREDENTIALS_REJECTED: 'runbooks/RolecallCredentialGuessing',
  KEY_ENDING: 'guides/administering',
  PROXY_NOT_TRUSTED: 'guides/forward-auth',
  QUEUE_OLD: 'runbooks/RolecallQueueStuck',
}
