import type { en } from './en.ts'

type English = typeof en
export type TextKey = keyof English

/** The names in braces of a text. */
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

/** All texts of a language: the keys of English, each with the placeholders of English. */
export type Catalog = { readonly [Key in TextKey]: Containing<Placeholders<English[Key]>> }

/** The values of a text; none for a text without placeholders. */
export type Values<Key extends TextKey> = [Placeholders<English[Key]>] extends [never]
  ? []
  : [values: Readonly<Record<Placeholders<English[Key]>, string>>]
