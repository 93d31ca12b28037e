/**
 * Flags for processes that end within seconds. They turn the optimizing compilers off, which would take a third to a
 * half of the processor time of such a process. The behavior is the same.
 */
export const brief = ['--liftoff-only', '--no-opt']
