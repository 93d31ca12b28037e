import { writeSync } from 'node:fs'
import { type DestinationStream, type Logger, pino } from 'pino'

export type Log = Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>

/**
 * Creates a log with one JSON object per line, on standard output by default. Writes only the name, message, and stack
 * of an error, because error objects of HTTP clients contain addresses and bodies with secrets.
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

/** The maximum number of attempts to write to a pipe with a slow reader, before a line is lost. */
const maxTries = 20
const tryEveryMs = 5
const sleeper = new Int32Array(new SharedArrayBuffer(4))

/**
 * Writes lines synchronously, so that a crashed process has written its last line. A full disk or a closed pipe only
 * loses log lines. The library's own destination would retry forever, even at the end of the process.
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
