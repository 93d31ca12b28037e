import { errors } from 'oidc-provider'
import { DatabaseUnavailable } from '#platform/db/database'
import { ApiError } from '#platform/http/api-error'

/** An outage: the service cannot respond now, and the request is not at fault. */
export class Unavailable extends errors.OIDCProviderError {
  override error_description: string
  /** The original error of the service. */
  readonly outage: unknown

  constructor(description: string, outage: unknown) {
    super(503, 'temporarily_unavailable', { cause: outage })
    this.error_description = description
    this.expose = true
    this.outage = outage
  }
}

/** Turns an outage into an error of the protocol, and leaves every other error unchanged. */
export function protocolError(error: unknown): unknown {
  if (error instanceof DatabaseUnavailable) {
    return new Unavailable('The service cannot reach its database right now. Try again in a moment.', error)
  }
  if (error instanceof ApiError && error.status === 503) return new Unavailable(error.message, error)
  return error
}

export const orProtocolError = <T>(work: Promise<T>): Promise<T> =>
  work.catch((error: unknown) => {
    throw protocolError(error)
  })

/** Restores the service's own error of an outage, for pages of the service that call the library. */
export const orOwnError = <T>(work: Promise<T>): Promise<T> =>
  work.catch((error: unknown) => {
    throw error instanceof Unavailable ? error.outage : error
  })
