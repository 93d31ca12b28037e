export function buildPeers(): Promise<void>
