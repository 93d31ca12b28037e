/**
 * Returns a hint for an operator who has not configured anything yet. Returns an empty list if at most three variables
 * are missing.
 */
export const firstSteps = (problems: readonly string[]): string[] =>
  problems.filter((problem) => problem.includes(' is missing: ')).length > 3
    ? ['`rolecall init` asks for what is missing, checks it with Discord, and writes it to .env.']
    : []
