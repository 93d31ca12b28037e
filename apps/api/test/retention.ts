import type { Retention } from '../src/features/housekeeping/store.ts'

/** What is kept for how long, unless somebody changes it. */
export const defaultRetention: Retention = {
  usageDays: 30,
  authFailuresDays: 30,
  submissionsDays: 36_500,
  sessionAddressesDays: 36_500,
}
