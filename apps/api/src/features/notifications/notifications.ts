/** Posts notifications to webhooks of projects, at least once each and in order within a project. */
export interface Notifications {
  start(): void
  /** Something was written: look at once. */
  wake(): void
  /** Posts what is due, within a few seconds, and stops. What is left stays where it is. */
  close(): Promise<void>
}
