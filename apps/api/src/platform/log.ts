import { writeSync } from 'node:fs'
import { type DestinationStream, type Logger, pino } from 'pino'

/** The part of the logger that the service uses. */
export type Log = Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>

/**
 * Creates a log that writes one JSON object per line, to standard output by default. It writes only the name, the
 * message, the stack, and the cause of an error: the errors of HTTP clients also contain addresses and bodies with
 * secrets.
 */
export const createLog = (level: string, destination?: DestinationStream): Logger =>
  pino(
    {
      level,
      base: { pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: { err: plainError, error: plainError },
    },
    destination ?? standardOutput,
  )

/** The number of attempts to write to a full pipe before the line is dropped. The pauses are `tryEveryMs`. */
const maxTries = 20
const tryEveryMs = 5
const sleeper = new Int32Array(new SharedArrayBuffer(4))

/**
 * Writes lines synchronously, so that the last line before a crash is not lost. With a full disk or a closed pipe, only
 * log lines are lost. The destination of the library would retry forever instead, even at the end of the process.
 */
const standardOutput: DestinationStream = {
  write(line) {
    const bytes = Buffer.from(line)
    for (let written = 0, tries = 0; written < bytes.length && tries < maxTries; ) {
      try {
        written += writeSync(1, bytes, written)
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') return
        tries += 1
        Atomics.wait(sleeper, 0, 0, tryEveryMs)
      }
    }
  },
}

function plainError(error: unknown): unknown {
  if (!(error instanceof Error)) return { message: 'not an error object' }
  return {
    name: error.name,
    message: error.message,
    stack: error.stack,
    ...(error.cause instanceof Error && { cause: plainError(error.cause) }),
  }
}
