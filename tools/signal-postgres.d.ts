/** Sends a signal to the PostgreSQL server that uses a data folder, and to its child processes. */
export function signalPostgres(data: string, signal: NodeJS.Signals): void
