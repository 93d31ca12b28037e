/** Returns the hash of a server's own icon, from the address at the chat platform. */
export const iconHash = (serverId: string, address: string | null): string | undefined => {
  const [, id, hash] = /\/icons\/(\d+)\/((?:a_)?[0-9a-f]{1,64})\.\w+$/.exec(address ?? '') ?? []
  return id === serverId ? hash : undefined
}
