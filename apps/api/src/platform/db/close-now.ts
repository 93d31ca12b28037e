import type pg from 'pg'

/** Ends a connection without waiting for a running statement, or for a server that does not answer. */
export function closeNow(client: pg.Client): void {
  client.end().catch(() => {})
  // Destroys the socket, because `end` alone would wait.
  const { connection } = client as unknown as { connection?: { stream?: { destroy(): void } } }
  connection?.stream?.destroy()
}
