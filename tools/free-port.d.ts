/** Returns a free port of 127.0.0.1, for a program that needs its port before it starts. */
export function freePort(): Promise<number>
