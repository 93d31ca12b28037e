import { de } from './de.ts'
import { en } from './en.ts'
import { es } from './es.ts'
import { fr } from './fr.ts'
import { it } from './it.ts'
import { ja } from './ja.ts'
import { ko } from './ko.ts'
import { nl } from './nl.ts'
import type { PageTexts } from './page-texts.ts'
import { pl } from './pl.ts'
import { ptBr } from './pt-br.ts'
import { tr } from './tr.ts'
import { zhHans } from './zh-hans.ts'

/** The texts of the pages by BCP 47 tag. The languages are the same as those of the service's pages. */
export const catalogs = {
  en,
  de,
  fr,
  es,
  'pt-BR': ptBr,
  it,
  nl,
  pl,
  tr,
  ja,
  ko,
  'zh-Hans': zhHans,
} satisfies Readonly<Record<string, PageTexts>>

/** A language of the pages. */
export type PageLanguage = keyof typeof catalogs
