/** The ID of a user and a group without files or rights of their own. */
export const otherUser = 65_534

/** Runs a part of a test as another user. Needs root. */
export async function asOtherUser(run: () => unknown): Promise<void> {
  process.seteuid?.(otherUser)
  try {
    await run()
  } finally {
    process.seteuid?.(0)
  }
}
