import { type Language, languages } from '@rolecall/contract'
import type { TextKey, Values } from './catalog.ts'
import { catalogs } from './language.ts'

/** Returns the text of a key, with its values filled in. It is plain text, so the page must escape it. */
export type Say = <Key extends TextKey>(key: Key, ...values: Values<Key>) => string

const makeSay = (language: Language): Say => {
  const catalog = catalogs[language]
  return (key, ...given) => {
    const values: Readonly<Record<string, string>> = given[0] ?? {}
    return catalog[key].replaceAll(/\{(\w+)\}/g, (_, name: string) => isolate(values[name] ?? ''))
  }
}

const says = new Map(languages.map((language) => [language, makeSay(language)]))

/** Returns the function that looks up the texts of a language. */
export const sayIn = (language: Language): Say => says.get(language) ?? makeSay('en')

const directionMarks = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g
const rightToLeft = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u

/** Prevents a value from changing the order of the text around it (Unicode Standard Annex #9). */
function isolate(value: string): string {
  const plain = value.replaceAll(directionMarks, '')
  return rightToLeft.test(plain) ? `\u2068${plain}\u2069` : plain
}
