import { Type } from 'typebox'
import { endpoint } from './endpoint.ts'
import { Closed, OneOf } from './formats.ts'

/** The languages of the pages that members see, as BCP 47 tags. */
export const languages = [
  'en',
  'de',
  'fr',
  'es',
  'pt-BR',
  'it',
  'nl',
  'pl',
  'tr',
  'ja',
  'ko',
  'zh-Hans',
] as const

/** A language of the pages that members see. */
export type Language = (typeof languages)[number]

/** The languages that a site prefers for the sign-in pages. */
export const UiLocales = Type.Optional(
  Type.String({
    maxLength: 256,
    description:
      'The languages for the sign-in pages, in order of preference: BCP 47 tags, separated by spaces, such as ' +
      '`pt-BR en`. Unknown languages are ignored.',
  }),
)

/** Chooses the language of the pages in this browser. Refuses with NAVIGATION_REQUIRED. */
export const chooseLanguage = endpoint({
  method: 'GET',
  path: '/account/language',
  tag: 'Account',
  summary: 'Choose the language of the pages in this browser',
  description:
    'Each page ends with links to this address. Stores the language in the cookie `svc_lang` for a year, and ' +
    'redirects to `return_to`. Without this cookie, pages use the first language of `Accept-Language` that ' +
    'they have, and otherwise English.',
  auth: 'none',
  page: true,
  query: Closed({
    language: OneOf(...languages),
    return_to: Type.Optional(
      Type.String({
        maxLength: 4096,
        description: 'A path of this service. Anything else leads to `/account`.',
      }),
    ),
  }),
  cookies: ['svc_lang', 'svc_ui_locales'],
  answers: { 303: null },
  refuses: ['NAVIGATION_REQUIRED'],
})
