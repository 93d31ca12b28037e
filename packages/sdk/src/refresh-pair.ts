import type { Endpoints } from './contract-types.ts'
import type { Pair } from './login.ts'
import { required } from './required.ts'
import { RolecallError } from './rolecall-error.ts'
import { asMember, type CallOptions, type Transport } from './transport.ts'

/** The new pair that a refresh returns, and the time at which its session expires. */
export type RefreshedPair = Pair & { readonly expiresAt: string }

/**
 * Requests a new pair of tokens. Never retries: if only the response was lost, the pair is already used, and the
 * service would treat a second use as theft.
 */
export async function refreshPair(
  send: Transport,
  { token, refreshToken }: Pair,
  options?: CallOptions,
): Promise<RefreshedPair> {
  required({ token, refreshToken })
  const rotated = await send<Endpoints['refreshSession']>({
    method: 'POST',
    path: '/api/auth/token/refresh',
    body: { refreshToken },
    headers: asMember(token),
    ...options,
  })
  const { accessToken, refreshToken: next, expiresAt } = rotated
  if (accessToken === undefined || next === undefined) {
    const detail = 'The service returned no token pair for the refresh.'
    throw new RolecallError('UNEXPECTED_RESPONSE', detail, { status: 200 })
  }
  return { token: accessToken, refreshToken: next, expiresAt }
}
