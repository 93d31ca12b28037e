import { errors } from 'oidc-provider'
import { DatabaseUnavailable } from '#platform/db/database'
import { ApiError } from '#platform/http/api-error'

/** Nothing can be said now, and nothing is wrong with the request. */
export class Unavailable extends errors.OIDCProviderError {
  override error_description: string
  /** What this is in the service's own words. */
  readonly outage: unknown

  constructor(description: string, outage: unknown) {
    super(503, 'temporarily_unavailable', { cause: outage })
    this.error_description = description
    this.expose = true
    this.outage = outage
  }
}

/** An outage in the words of the protocol; everything else as it is. */
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

/** For pages of the service that ask the library: an outage is told there as everywhere in the service. */
export const orOwnError = <T>(work: Promise<T>): Promise<T> =>
  work.catch((error: unknown) => {
    throw error instanceof Unavailable ? error.outage : error
  })
