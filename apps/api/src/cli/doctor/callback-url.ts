import { type ChatPlatform, ChatPlatformError } from '#chat/chat-platform'
import type { Config } from '../../config.ts'
import { type Line, ok, problem } from './line.ts'

/** Checks that the callback URL is at PUBLIC_URL and registered at Discord. */
export async function callbackUrlLines(
  { chatCallbackUrl = '', publicUrl, chatBotToken }: Config,
  chat: ChatPlatform,
): Promise<Line[]> {
  const lines: Line[] = []
  if (new URL(chatCallbackUrl).origin !== new URL(publicUrl).origin) {
    lines.push(
      problem(
        `is not at PUBLIC_URL (${publicUrl}), so browsers would not return the sign-in cookie. Give both the ` +
          'same origin.',
      ),
    )
  }
  const registered = chatBotToken ? await registeredUrls(chat) : undefined
  if (registered && !registered.includes(chatCallbackUrl)) {
    lines.push(
      problem(
        `Discord does not know ${chatCallbackUrl}. Add it to the redirects of the application in the developer ` +
          'portal.',
      ),
    )
  }
  if (lines.length > 0) return lines
  return [ok(`${chatCallbackUrl}${registered ? ', registered with Discord' : ''}`)]
}

/** Returns undefined if Discord does not respond. Another check reports that. */
const registeredUrls = (chat: ChatPlatform) =>
  chat.application().then(
    ({ callbackUrls }) => callbackUrls,
    (error: unknown) => {
      if (error instanceof ChatPlatformError) return undefined
      throw error
    },
  )
