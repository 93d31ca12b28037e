import pg from 'pg'
import { DatabaseRefused } from './database.ts'

/** Sentences for operators about connections that the server refuses: the reason and the fix, by SQLSTATE. */
const refusals: Readonly<Record<string, string>> = {
  '28P01': 'The database rejects the password of DATABASE_URL, or has no role of that name. Correct them.',
  '28000':
    'The database rejects connections from here with the role of DATABASE_URL. Correct the role, or its pg_hba.conf.',
  '3D000':
    'The database server does not have the database of DATABASE_URL. Create it (createdb), or correct the name.',
}

/**
 * The same for connections that a pooler refuses. Selected by the message, because all its errors have the same code
 * and no routine.
 */
const poolerRefusals: readonly [RegExp, string][] = [
  [
    /^unsupported startup parameter/,
    'The pooler of DATABASE_URL rejects startup parameters. Make it ignore them. For PgBouncer, set ignore_startup_parameters = extra_float_digits,options,lock_timeout,idle_in_transaction_session_timeout (docs/guides/postgresql.md).',
  ],
  [
    /^no such (database|user)|^pgbouncer cannot connect|^bouncer config error/,
    'The pooler of DATABASE_URL does not know the database or user. Correct the name, or its configuration.',
  ],
]

/**
 * Refusals for which the SQLSTATE is too general, by SQLSTATE and server routine. The routine alone is not enough: it
 * also reports connection limits, which resolve without an operator.
 */
const refusalsByRoutine: Readonly<Record<string, string>> = {
  '28000 InitializeSessionUserId':
    'The database has no role for DATABASE_URL with the LOGIN right. Create it (createuser), or correct the name.',
  '42501 CheckMyDatabase':
    'The role of DATABASE_URL cannot connect to its database. Run: grant connect on database … to that role.',
}

/** The same for connections that the client library refuses, by its message. */
const ownRefusals: readonly [RegExp, string][] = [
  [/^SASL: .*password must be/, 'The database requires a password, but DATABASE_URL contains none. Add it.'],
  [
    /does not support SSL/,
    'DATABASE_URL requires TLS, which the database does not support. Correct sslmode.',
  ],
]

const untrusted = /CERT|SELF_SIGNED|UNABLE_TO_(VERIFY|GET_ISSUER)/

/**
 * Returns the reason and the fix for a connection that is refused until an operator acts. Returns undefined for any
 * other error.
 */
export function connectionRefusal(error: unknown): string | undefined {
  if (error instanceof pg.DatabaseError) {
    return (
      refusalsByRoutine[`${error.code} ${error.routine}`] ??
      refusals[error.code ?? ''] ??
      (error.code === protocolViolation ? byMessage(poolerRefusals, error.message) : undefined)
    )
  }
  if (!(error instanceof Error)) return undefined
  if ('code' in error && typeof error.code === 'string' && untrusted.test(error.code)) {
    return 'The certificate of the database is not trusted. Add sslrootcert to DATABASE_URL, or correct the host name.'
  }
  return byMessage(ownRefusals, error.message)
}

const protocolViolation = '08P01'
const lacksRights = '42501'

/**
 * Returns the problem and the fix if the database responds, but refuses the connection, or a statement of the role.
 * Waiting would not help then. Returns undefined for any other error.
 */
export const databaseRefusal = (error: unknown): string | undefined =>
  error instanceof DatabaseRefused ? error.message : missingPermission(error)

/** The message of the server names what the role may not use. */
const missingPermission = (error: unknown): string | undefined =>
  error instanceof pg.DatabaseError && error.code === lacksRights
    ? `The role of DATABASE_URL lacks a permission (${error.message}). As the owner of the tables, run rolecall migrate. Then grant that role select, insert, update, and delete on all tables, and usage on all sequences, in schema public.`
    : undefined

const byMessage = (table: readonly [RegExp, string][], message: string) =>
  table.find(([pattern]) => pattern.test(message))?.[1]

/**
 * Returns the reason of a failed connection for the log: a code, or the message of the server or the client library.
 * These messages contain no secrets.
 */
export function connectionReason(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  if (error instanceof pg.DatabaseError) return `${error.code}: ${error.message}`
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message
}
