/**
 * Returns the hash of a server's icon from its Discord address. Returns undefined if there is no icon, or if the
 * address belongs to another server.
 */
export const iconHash = (serverId: string, address: string | null): string | undefined => {
  const [, id, hash] = /\/icons\/(\d+)\/((?:a_)?[0-9a-f]{1,64})\.\w+$/.exec(address ?? '') ?? []
  return id === serverId ? hash : undefined
}
