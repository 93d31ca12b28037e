import type { ChatEvent, ChatGateway } from './chat-gateway.ts'
import type { ChatPlatform } from './chat-platform.ts'

/** What may be put around every question to the platform. The operation is the name of the method. */
export interface AroundChat {
  run<T>(operation: string, ask: () => Promise<T>): Promise<T>
  /** The gateway told of something. */
  received(event: ChatEvent): void
}

/** The same platform, with something around each question: a measurement, a trace. */
export function aroundChat(chat: ChatPlatform, { run, received }: AroundChat): ChatPlatform {
  return {
    ...chat,
    identify: (login) => run('identify', () => chat.identify(login)),
    member: (...asked) => run('member', () => chat.member(...asked)),
    server: (...asked) => run('server', () => chat.server(...asked)),
    members: (...asked) => run('members', () => chat.members(...asked)),
    bot: () => run('bot', () => chat.bot()),
    isClientAccepted: () => run('client', () => chat.isClientAccepted()),
    application: () => run('application', () => chat.application()),
    gateway: (timing) => around(chat.gateway(timing), received),
  }
}

const around = (gateway: ChatGateway, received: AroundChat['received']): ChatGateway => ({
  ...gateway,
  open: (listener, past) =>
    gateway.open(
      {
        ...listener,
        received: (event, at) => {
          received(event)
          listener.received(event, at)
        },
      },
      past,
    ),
})
