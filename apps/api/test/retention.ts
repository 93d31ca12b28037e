import type { Retention } from '../src/features/housekeeping/store.ts'

/** The default retention periods. */
export const defaultRetention: Retention = {
  usageDays: 30,
  authFailuresDays: 30,
  submissionsDays: 36_500,
  sessionAddressesDays: 36_500,
}
