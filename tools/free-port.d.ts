/** A port of 127.0.0.1 that nobody listens on, for a program that is told its port before it starts. */
export function freePort(): Promise<number>
