import pg from 'pg'

/** By SQLSTATE: why a server that answers lets nobody in, and how to mend it. None of them mends itself. */
const refusals: Readonly<Record<string, string>> = {
  '28P01': 'The database refuses the password of DATABASE_URL, or has no role of that name: correct them.',
  '28000':
    'The database lets nobody in from here as the role of DATABASE_URL: correct the role, or its pg_hba.conf.',
  '3D000':
    'The database server has no database of the name in DATABASE_URL: create it (createdb), or correct the name.',
}

/** By the place in the server that refuses, where its SQLSTATE says less. */
const refusalsByRoutine: Readonly<Record<string, string>> = {
  InitializeSessionUserId:
    'The database has no role of the name in DATABASE_URL that may log in: create it (createuser), or correct the name.',
  CheckMyDatabase:
    'The role of DATABASE_URL may not connect to its database: grant connect on database … to that role.',
}

/** What the client itself refuses, by its message. */
const ownRefusals: readonly [RegExp, string][] = [
  [/^SASL: .*password must be/, 'The database asks for a password, and DATABASE_URL has none: add it.'],
  [/does not support SSL/, 'DATABASE_URL asks for TLS, which the database does not speak: correct sslmode.'],
]

const untrusted = /CERT|SELF_SIGNED|UNABLE_TO_(VERIFY|GET_ISSUER)/

/** The sentence for a connection that is refused for as long as nobody mends it; undefined for any other error. */
export function connectionRefusal(error: unknown): string | undefined {
  if (error instanceof pg.DatabaseError) {
    return refusalsByRoutine[error.routine ?? ''] ?? refusals[error.code ?? '']
  }
  if (!(error instanceof Error)) return undefined
  if ('code' in error && typeof error.code === 'string' && untrusted.test(error.code)) {
    return 'The certificate of the database is not trusted: give sslrootcert in DATABASE_URL, or correct the host name.'
  }
  return ownRefusals.find(([message]) => message.test(error.message))?.[1]
}

/** What a log may say of a failed connection: codes, or the words of the client library, which hold no secret. */
export function connectionReason(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message
}
