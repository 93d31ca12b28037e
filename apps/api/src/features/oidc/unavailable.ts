import { errors } from 'oidc-provider'
import { DatabaseUnavailable } from '#platform/db/database'
import { ApiError } from '#platform/http/api-error'

/** The error of the protocol during an outage (status 503). The client can send the same request again later. */
export class Unavailable extends errors.OIDCProviderError {
  override error_description: string
  /** The original error. Undefined if the sign-in reported the outage as a problem. */
  readonly outage: unknown

  constructor(description: string, outage: unknown) {
    super(503, 'temporarily_unavailable', { cause: outage })
    this.error_description = description
    this.expose = true
    this.outage = outage
  }
}

/** Converts an outage of the database or Discord to an error of the protocol. Returns every other error unchanged. */
export function protocolError(error: unknown): unknown {
  if (error instanceof DatabaseUnavailable) {
    return new Unavailable('The service cannot reach its database right now. Try again in a moment.', error)
  }
  if (error instanceof ApiError && error.status === 503) return new Unavailable(error.message, error)
  return error
}

/** Applies `protocolError` to the error of a promise. Wrap each database access that the library causes. */
export const orProtocolError = <T>(work: Promise<T>): Promise<T> =>
  work.catch((error: unknown) => {
    throw protocolError(error)
  })

/** Restores the original error of an outage. For handlers of the service that call the library. */
export const orOwnError = <T>(work: Promise<T>): Promise<T> =>
  work.catch((error: unknown) => {
    throw error instanceof Unavailable ? error.outage : error
  })
