import { randomFillSync } from 'node:crypto'

/**
 * Random bytes for the next IDs. Requesting them for each ID separately would be the slowest part of its creation.
 * Every byte is used only once.
 */
const pool = Buffer.alloc(4_096)
let used = pool.length

/**
 * Creates a UUIDv7 (RFC 9562 §5.7). These IDs sort by the time of creation, so that new rows are close together in an
 * index.
 */
export function uuidv7(now = Date.now()): string {
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  const bytes = pool.subarray(used, used + 16)
  used += 16
  bytes.writeUIntBE(now, 0, 6)
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x70
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80
  const hex = bytes.toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}
