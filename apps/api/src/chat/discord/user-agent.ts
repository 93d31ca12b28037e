import { version } from '#platform/version'

/** The platform's edge refuses calls without a name of this form; its staff look for who it is by address and version. */
export const userAgent = `DiscordBot (https://rolecall.example, ${version})`
