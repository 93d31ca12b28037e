const developerPortal = 'the developer portal of the chat platform'

/** Close codes after which trying again helps nobody, and what does. */
const refusals: Readonly<Record<number, string>> = {
  4004: 'The gateway refuses the bot token. Set CHAT_BOT_TOKEN to the current one and restart.',
  4010: 'The gateway refuses our shard. This is a fault of this service: please report it.',
  4011: 'The gateway asks for more shards than it announced. It is asked anew by itself.',
  4012: 'The gateway no longer speaks the version that this service speaks. Update the service.',
  4013: 'The gateway does not know the intents that this service asks for. Update the service.',
  4014: `The gateway refuses the member intent. Switch on "Server Members Intent" in ${developerPortal}, under Bot.`,
}

/** What is wrong and how to mend it, when a close code is a refusal. */
export const refusalOf = (closeCode: number): string | undefined => refusals[closeCode]

export const tokenRefused = refusals[4004] as string
