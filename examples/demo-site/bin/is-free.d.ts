/** Returns true if a program can listen on this port of 127.0.0.1. */
export function isFree(port: number): Promise<boolean>
