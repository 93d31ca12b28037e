import { type DeliveryQuirks, flawless } from './delivery.ts'

/** The behavior of the gateway. Tests change it to cause faults. */
export interface GatewaySettings extends DeliveryQuirks {
  heartbeatIntervalMs: number
  /** The time, in milliseconds, for which a session waits for its client to resume. */
  sessionLifetimeMs: number
  isSilentAtStart: boolean
  ignoresResume: boolean
  refusesUntil: number
  /** Ends new sessions by opcode 9 (not resumable), instead of READY or right after it. */
  endsSessions: 'never' | 'atIdentify' | 'afterReady'
}

const atStart: GatewaySettings = {
  ...flawless,
  heartbeatIntervalMs: 41_250,
  sessionLifetimeMs: 300_000,
  isSilentAtStart: false,
  ignoresResume: false,
  refusesUntil: 0,
  endsSessions: 'never',
}

/** Returns the settings without faults. */
export const createSettings = (): GatewaySettings => ({ ...atStart })
export const resetSettings = (settings: GatewaySettings) => Object.assign(settings, atStart)
