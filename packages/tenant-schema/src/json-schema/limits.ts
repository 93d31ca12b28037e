/**
 * Limits the cost of a schema and of a value. Schemas come from tenants, and a schema is a program: these limits
 * keep every schema from stalling the event loop, with every value.
 */
export const limits = {
  /** Bytes of a schema as JSON. */
  schemaBytes: 64 * 1024,
  /** Levels of a schema, and of a value: both are traversed by recursion. */
  depth: 64,
  /** Schemas within a schema. */
  subschemas: 1_000,
  /** Schemas that are applied to one value after following every `$ref`; a chain of doubled references explodes. */
  visits: 10_000,
  /** Characters of a pattern. */
  patternLength: 512,
  /** Instructions of the engine's program for a pattern, and for all patterns of a schema. */
  patternInstructions: 2_000,
  allInstructions: 12_000,
  /** Ranges of characters that those instructions compare: `\p{L}{100}` compares those of its class 100 times. */
  patternRanges: 250_000,
  allRanges: 500_000,
  /** Limit for parsing all patterns of a schema, in units of about a tenth of a microsecond. */
  parseUnits: 500_000,
  /** Bytes that the automaton of one pattern may use. */
  patternMemory: 32 * 1024,
  /** Nested calls of one validation: chains of `$ref` times levels of the value. */
  calls: 600,
  /** Errors that one validation collects, and characters of their paths and messages. */
  errors: 1_000,
  errorCharacters: 128 * 1024,
  /** Work of one validation, in units of about ten nanoseconds, and the part of it that may run on the event loop. */
  work: 1_000_000,
  workOnLoop: 300_000,
} as const
