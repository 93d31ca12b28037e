import { type DestinationStream, type Logger, pino } from 'pino'

export type Log = Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>

/**
 * One JSON object a line, on standard output unless told otherwise. Errors are written by name, message
 * and stack only: error objects of HTTP clients carry addresses and bodies, and those carry secrets.
 */
export const createLog = (level: string, destination?: DestinationStream): Logger =>
  pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: { err: plainError, error: plainError },
    },
    destination ?? pino.destination(1),
  )

function plainError(error: unknown): unknown {
  if (!(error instanceof Error)) return { message: 'not an error object' }
  return {
    name: error.name,
    message: error.message,
    stack: error.stack,
    ...(error.cause instanceof Error && { cause: plainError(error.cause) }),
  }
}
