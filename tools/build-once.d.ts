/** Compiles the workspace when something that `tsc -b` reads is newer than the last build. */
export function buildOnce(say?: (line: string) => void): Promise<void>
