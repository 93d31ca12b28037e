/**
 * Returns a hint for an operator who has configured nothing yet, in place of one line per variable. Empty
 * otherwise.
 */
export const firstSteps = (problems: readonly string[]): string[] =>
  problems.filter((problem) => problem.includes(' is missing: ')).length > 3
    ? ['`rolecall init` asks for what is missing, checks it with Discord, and writes it to .env.']
    : []
