import type { en } from './en.ts'

type English = typeof en
export type TextKey = keyof English

/** The names in braces in a text, such as `name` in `Hello {name}`. */
type Placeholders<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Placeholders<Rest>
  : never

/** A text that contains each of these placeholders. */
type Containing<Names extends string> = [Names] extends [never]
  ? string
  : (Names extends string ? (text: `${string}{${Names}}${string}`) => void : never) extends (
        text: infer Text extends string,
      ) => void
    ? Text
    : never

/**
 * All texts of a language. The compiler checks that each key of English exists, with the placeholders of the English
 * text.
 */
export type Catalog = { readonly [Key in TextKey]: Containing<Placeholders<English[Key]>> }

/** The values for the placeholders of a text. A text without placeholders takes none. */
export type Values<Key extends TextKey> = [Placeholders<English[Key]>] extends [never]
  ? []
  : [values: Readonly<Record<Placeholders<English[Key]>, string>>]
