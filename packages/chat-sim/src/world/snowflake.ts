/** Milliseconds of 2015-01-01, the platform's epoch. */
const epochMs = 1_420_070_400_000

/** Bits 0-21 contain worker, process and increment; the date is above them. */
export const snowflakeAt = (ms: number, low = 0): string =>
  ((BigInt(ms - epochMs) << 22n) | BigInt(low & 0x3fffff)).toString()

export const snowflakeMs = (id: string): number => Number(BigInt(id) >> 22n) + epochMs

export const snowflakeLow = (id: string): number => Number(BigInt(id) & 0x3fffffn)

/** A real ID is a 64-bit number; the platform accepts nothing else. */
export const isSnowflake = (text: string): boolean =>
  /^\d{1,20}$/.test(text) && BigInt(text) <= 0xffff_ffff_ffff_ffffn

/** Compares IDs as texts, because 64 bits do not fit into a number. */
export const compareIds = (a: string, b: string): number =>
  a.length - b.length || (a < b ? -1 : a > b ? 1 : 0)

/** Mints unique IDs, even many within one millisecond. */
export function createSnowflakes(now: () => number): () => string {
  let increment = 0
  return () => {
    increment = (increment + 1) & 0xfff
    return snowflakeAt(now(), (1 << 17) | increment)
  }
}
