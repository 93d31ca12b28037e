import type { ChatEvent, ChatGateway } from './chat-gateway.ts'
import type { ChatPlatform } from './chat-platform.ts'

/** Runs around each request to the platform. `operation` is the name of the method. */
export interface ChatInstrumentation {
  run<T>(operation: string, ask: () => Promise<T>): Promise<T>
  /** Receives each event of the gateway. */
  received(event: ChatEvent): void
}

/** Wraps the platform so that its requests and events are measured or traced. */
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
