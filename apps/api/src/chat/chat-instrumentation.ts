import type { ChatEvent, ChatGateway } from './chat-gateway.ts'
import type { ChatPlatform } from './chat-platform.ts'

/** Runs around each request to the platform. `operation` is the name of the method. */
export interface ChatInstrumentation {
  run<T>(operation: string, request: () => Promise<T>): Promise<T>
  /** Receives each event of the gateway. */
  received(event: ChatEvent): void
}

/** Wraps the platform so that its requests and events are measured or traced. */
export function instrumentChat(chat: ChatPlatform, { run, received }: ChatInstrumentation): ChatPlatform {
  return {
    ...chat,
    identify: (login) => run('identify', () => chat.identify(login)),
    member: (...args) => run('member', () => chat.member(...args)),
    server: (...args) => run('server', () => chat.server(...args)),
    members: (...args) => run('members', () => chat.members(...args)),
    image: (name) => run('image', () => chat.image(name)),
    servers: () => run('servers', () => chat.servers()),
    bot: () => run('bot', () => chat.bot()),
    isClientAccepted: () => run('client', () => chat.isClientAccepted()),
    application: () => run('application', () => chat.application()),
    gateway: (...args) => instrumentGateway(chat.gateway(...args), received),
  }
}

const instrumentGateway = (gateway: ChatGateway, received: ChatInstrumentation['received']): ChatGateway => ({
  ...gateway,
  open: (listener, earlier) =>
    gateway.open(
      {
        ...listener,
        received: (event, at) => {
          received(event)
          listener.received(event, at)
        },
      },
      earlier,
    ),
})
