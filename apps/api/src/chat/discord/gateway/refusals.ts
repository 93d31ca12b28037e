/** The meaning of a close code of Discord, and the fix. */
interface CloseCode {
  readonly meaning: string
  readonly fix: string
  /** True if a retry is useless until the problem is fixed. */
  readonly isRefusal?: boolean
}

const botPage = "the Discord developer portal, under your application's Bot page"
const retried = 'Rolecall retries automatically.'
const reported = 'This is a defect in Rolecall. Report it.'

const closeCodes: Readonly<Record<number, CloseCode>> = {
  1000: { meaning: 'session invalidated', fix: retried },
  4000: { meaning: 'unknown error', fix: retried },
  4001: { meaning: 'unknown opcode', fix: reported },
  4002: { meaning: 'decode error', fix: reported },
  4003: { meaning: 'not authenticated', fix: reported },
  4004: {
    meaning: 'invalid bot token',
    fix: `Copy the token from ${botPage}, set CHAT_BOT_TOKEN to it, and restart.`,
    isRefusal: true,
  },
  4005: { meaning: 'already authenticated', fix: reported },
  4007: { meaning: 'invalid sequence number', fix: retried },
  4008: { meaning: 'rate limited', fix: 'Check that no other program uses the same bot token.' },
  4009: {
    meaning: 'session timed out',
    fix: 'Check that the instance has enough CPU time and a stable network.',
  },
  4010: { meaning: 'invalid shard', fix: reported, isRefusal: true },
  4011: {
    meaning: 'sharding required',
    fix: 'Rolecall requests the new number of shards and retries automatically.',
    isRefusal: true,
  },
  4012: { meaning: 'invalid API version', fix: 'Update Rolecall.', isRefusal: true },
  4013: { meaning: 'invalid intents', fix: 'Update Rolecall.', isRefusal: true },
  4014: {
    meaning: 'disallowed intents',
    fix: `Turn on "Server Members Intent" in ${botPage}, Privileged Gateway Intents.`,
    isRefusal: true,
  },
}

/** The close code with which the library closes a connection that it will resume. */
const resuming = 4_200

/** Returns true if Discord has sent this close code. Networks, proxies, and this service use other codes. */
export const isDiscordCloseCode = (code: number): boolean =>
  code === 1_000 || (code >= 4_000 && code !== resuming)

/** Returns true if the library resumes the session after this close code. */
export const isResumable = (code: number): boolean => [4_000, 4_001, 4_002, 4_009].includes(code)

/** Describes a close code: its number, its meaning, and the fix. */
export function describeClose(code: number): string {
  const known = closeCodes[code]
  return known
    ? `close code ${code}, ${known.meaning}. ${known.fix}`
    : `close code ${code}, unknown to this version. ${retried}`
}

/** Returns the problem and the fix if the close code is a refusal, or undefined. */
export const refusalOf = (code: number): string | undefined =>
  closeCodes[code]?.isRefusal ? `Discord rejects the gateway connection: ${describeClose(code)}` : undefined

/** The problem and the fix for an invalid bot token. */
export const tokenRefused = refusalOf(4_004) as string
