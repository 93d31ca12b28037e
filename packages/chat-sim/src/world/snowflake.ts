/** Milliseconds of 2015-01-01, from which the platform counts. */
const epochMs = 1_420_070_400_000

/** Bits 0-21 hold worker, process and increment; the date sits above them. */
export const snowflakeAt = (ms: number, low = 0): string =>
  ((BigInt(ms - epochMs) << 22n) | BigInt(low & 0x3fffff)).toString()

export const snowflakeMs = (id: string): number => Number(BigInt(id) >> 22n) + epochMs

export const snowflakeLow = (id: string): number => Number(BigInt(id) & 0x3fffffn)

/** A real id is a 64-bit number; the platform coerces nothing else. */
export const isSnowflake = (text: string): boolean =>
  /^\d{1,20}$/.test(text) && BigInt(text) <= 0xffff_ffff_ffff_ffffn

/** Orders ids by number without making numbers of them: 64 bits do not fit. */
export const compareIds = (a: string, b: string): number =>
  a.length - b.length || (a < b ? -1 : a > b ? 1 : 0)

/** Mints ids that never repeat, also when many are asked for within one millisecond. */
export function createSnowflakes(now: () => number): () => string {
  let increment = 0
  return () => {
    increment = (increment + 1) & 0xfff
    return snowflakeAt(now(), (1 << 17) | increment)
  }
}
