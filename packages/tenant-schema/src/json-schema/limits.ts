/**
 * The limits for the cost of schemas and values. Tenants write schemas, and a schema is like a program. With these
 * limits, no schema stalls the event loop, whatever the value is.
 */
export const limits = {
  /** The maximum size of a schema as JSON, in bytes. */
  schemaBytes: 64 * 1024,
  /** The maximum nesting of a schema and of a value. Both are traversed by recursion. */
  depth: 64,
  /** The maximum number of subschemas. */
  subschemas: 1_000,
  /**
   * The maximum number of schemas that are applied to one value, after following every `$ref`. The number doubles with
   * each link of a chain in which each schema refers to the next one twice.
   */
  visits: 10_000,
  /** The maximum length of a pattern in characters. */
  patternLength: 512,
  /** The maximum instructions of the regular-expression program of a pattern, and of all patterns of a schema. */
  patternInstructions: 2_000,
  allInstructions: 12_000,
  /**
   * The maximum ranges of characters that those instructions compare. `\p{L}{100}` compares the ranges of `\p{L}` 100
   * times.
   */
  patternRanges: 250_000,
  allRanges: 500_000,
  /** The maximum cost of parsing all patterns of a schema, in units of about 0.1 µs. */
  parseUnits: 500_000,
  /** The maximum memory of the automaton of one pattern, in bytes. */
  patternMemory: 32 * 1024,
  /** The maximum depth of calls in one validation: the length of `$ref` chains times the nesting of the value. */
  calls: 600,
  /** The maximum number of errors of one validation, and of the characters of their paths and messages. */
  errors: 1_000,
  errorCharacters: 128 * 1024,
  /** The maximum work of one validation, in units of about 10 ns, and the maximum of it on the event loop. */
  work: 1_000_000,
  workOnLoop: 300_000,
} as const
