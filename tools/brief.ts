/**
 * Flags for processes that end within seconds. The engine would compile their code a second time, and better, which is
 * a third to a half of the cost of such a process; the behavior is the same.
 */
export const brief = ['--liftoff-only', '--no-opt']
