/** The numbers of the gateway's protocol that the simulator uses: opcodes, close codes, and intents. */

export const op = {
  dispatch: 0,
  heartbeat: 1,
  identify: 2,
  presenceUpdate: 3,
  voiceStateUpdate: 4,
  resume: 6,
  reconnect: 7,
  requestGuildMembers: 8,
  invalidSession: 9,
  hello: 10,
  heartbeatAck: 11,
} as const

export const closeCode = {
  unknownOpcode: 4001,
  decodeError: 4002,
  notAuthenticated: 4003,
  authenticationFailed: 4004,
  alreadyAuthenticated: 4005,
  invalidSeq: 4007,
  rateLimited: 4008,
  sessionTimedOut: 4009,
  invalidShard: 4010,
  invalidVersion: 4012,
  invalidIntents: 4013,
  disallowedIntents: 4014,
} as const

export const intent = {
  guilds: 1 << 0,
  guildMembers: 1 << 1,
  guildModeration: 1 << 2,
  guildPresences: 1 << 8,
  messageContent: 1 << 15,
} as const

/** All bits that have a meaning in the protocol. IDENTIFY with another bit is refused. */
export const allIntents = 0x1ffff | (1 << 20) | (1 << 21) | (1 << 24) | (1 << 25)

export interface ClientMessage {
  op: number
  d: unknown
}

export const frame = (opcode: number, d: unknown = null): string =>
  `{"op":${opcode},"d":${JSON.stringify(d)},"s":null,"t":null}`

/** Returns a frame with an event. `d` is JSON text, so an event for many sessions is serialized only once. */
export const dispatchFrame = (seq: number, type: string, d: string): string =>
  `{"t":"${type}","s":${seq},"op":0,"d":${d}}`
