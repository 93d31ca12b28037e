import { json, type Reply } from './call.ts'

/** A refusal in the platform's own shape: an HTTP status with a JSON error code. */
export class PlatformError extends Error {
  readonly status: number
  readonly code: number
  readonly errors: unknown

  constructor(status: number, code: number, message: string, errors?: unknown) {
    super(message)
    this.status = status
    this.code = code
    this.errors = errors
  }
}

/** Converts a refusal to a response. */
export const errorReply = ({ status, code, message, errors }: PlatformError): Reply =>
  json(errors === undefined ? { message, code } : { message, code, errors }, status)

export const unauthorized = () => new PlatformError(401, 0, '401: Unauthorized')
export const notFound = () => new PlatformError(404, 0, '404: Not Found')
export const methodNotAllowed = () => new PlatformError(405, 0, '405: Method Not Allowed')
export const missingAccess = () => new PlatformError(403, 50001, 'Missing Access')
export const missingScope = () => new PlatformError(403, 50026, 'Missing required OAuth2 scope')
export const unknownGuild = () => new PlatformError(404, 10004, 'Unknown Guild')
export const unknownMember = () => new PlatformError(404, 10007, 'Unknown Member')
export const unknownUser = () => new PlatformError(404, 10013, 'Unknown User')
export const unknownWebhook = () => new PlatformError(404, 10015, 'Unknown Webhook')
export const unavailable = () => new PlatformError(503, 0, '503: Service Unavailable')

/** Returns error 50035 with the invalid field, e.g. `invalidForm('user_id', 'NUMBER_TYPE_COERCE', '…')`. */
export const invalidForm = (field: string, code: string, message: string) =>
  new PlatformError(400, 50035, 'Invalid Form Body', { [field]: { _errors: [{ code, message }] } })
