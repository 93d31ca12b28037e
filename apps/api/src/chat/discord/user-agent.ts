import { version } from '#platform/version'

/** The name of the client, in the form that the platform's edge requires. Its staff find the client by address and version. */
export const userAgent = `DiscordBot (https://rolecall.example, ${version})`
