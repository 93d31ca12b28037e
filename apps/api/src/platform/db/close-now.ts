import type pg from 'pg'

/** Closes a connection without waiting for a running statement or for a server that does not respond. */
export function closeNow(client: pg.Client): void {
  client.end().catch(() => {})
  // `end` alone would wait, so the socket is destroyed.
  const { connection } = client as unknown as { connection?: { stream?: { destroy(): void } } }
  connection?.stream?.destroy()
}
