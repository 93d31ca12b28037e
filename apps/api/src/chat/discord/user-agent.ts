import { version } from '#platform/version'

/**
 * The name of this client, in the form that Discord's edge requires. Discord's staff can identify the client by its
 * address and version.
 */
export const userAgent = `DiscordBot (https://rolecall.example, ${version})`
