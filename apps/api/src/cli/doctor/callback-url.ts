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
    lines.push(problem(`is not at PUBLIC_URL (${publicUrl}): the sign-in cookie would not be returned.`))
  }
  const registered = chatBotToken ? await registeredUrls(chat) : undefined
  if (registered && !registered.includes(chatCallbackUrl)) {
    lines.push(
      problem(`The platform does not know ${chatCallbackUrl}. Add it to the redirects of the application.`),
    )
  }
  if (lines.length > 0) return lines
  return [ok(`${chatCallbackUrl}${registered ? ', registered at the platform' : ''}`)]
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
