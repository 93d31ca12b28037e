/** The platform's epoch, 2015-01-01, in milliseconds since 1970. */
const epochMs = 1_420_070_400_000

/** Returns an ID. Its date is above bit 21, and `low` fills bits 0 to 21 (worker, process, and increment). */
export const snowflakeAt = (ms: number, low = 0): string =>
  ((BigInt(ms - epochMs) << 22n) | BigInt(low & 0x3fffff)).toString()

/** Returns the time in an ID, in milliseconds since 1970. */
export const snowflakeMs = (id: string): number => Number(BigInt(id) >> 22n) + epochMs

export const snowflakeLow = (id: string): number => Number(BigInt(id) & 0x3fffffn)

/** Returns true if a text is a 64-bit number. The platform accepts no other IDs. */
export const isSnowflake = (text: string): boolean =>
  /^\d{1,20}$/.test(text) && BigInt(text) <= 0xffff_ffff_ffff_ffffn

/** Compares IDs as texts, because a JavaScript number cannot represent 64 bits. */
export const compareIds = (a: string, b: string): number =>
  a.length - b.length || (a < b ? -1 : a > b ? 1 : 0)

/** Creates a function that returns unique IDs, even many of them within one millisecond. */
export function createSnowflakes(now: () => number): () => string {
  let increment = 0
  return () => {
    increment = (increment + 1) & 0xfff
    return snowflakeAt(now(), (1 << 17) | increment)
  }
}
