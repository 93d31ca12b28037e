/** Installs the packages of a folder that has its own lock file, when they are missing or the lock file has changed. */
export function installOnce(folder: string, say?: (line: string) => void): Promise<void>

/** Returns true if the packages of a folder are those of its lock file. */
export function isInstalled(folder: string): boolean
