import type { ChatEvent, ChatGateway } from './chat-gateway.ts'
import type { ChatPlatform } from './chat-platform.ts'

/** What may be put around every question to the platform. The operation is the name of the method. */
export interface ChatInstrumentation {
  run<T>(operation: string, ask: () => Promise<T>): Promise<T>
  /** The gateway told of something. */
  received(event: ChatEvent): void
}

/** The same platform, with something around each question: a measurement, a trace. */
export function instrumentChat(chat: ChatPlatform, { run, received }: ChatInstrumentation): ChatPlatform {
  return {
    ...chat,
    identify: (login) => run('identify', () => chat.identify(login)),
    member: (...asked) => run('member', () => chat.member(...asked)),
    server: (...asked) => run('server', () => chat.server(...asked)),
    members: (...asked) => run('members', () => chat.members(...asked)),
    image: (asked) => run('image', () => chat.image(asked)),
    servers: () => run('servers', () => chat.servers()),
    bot: () => run('bot', () => chat.bot()),
    isClientAccepted: () => run('client', () => chat.isClientAccepted()),
    application: () => run('application', () => chat.application()),
    gateway: (...asked) => receivedOf(chat.gateway(...asked), received),
  }
}

const receivedOf = (gateway: ChatGateway, received: ChatInstrumentation['received']): ChatGateway => ({
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
