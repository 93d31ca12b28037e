import type { Incoming } from './incoming.ts'
import type { PageLanguage } from './languages/catalogs.ts'

/** The page of each code. */
export const pageKinds = {
  LOGIN_REFUSED: 'refused',
  ROLE_REQUIRED: 'refused',
  LOGIN_NOT_FOUND: 'expired',
  LOGIN_UNREADABLE: 'expired',
  LOGIN_EXPIRED: 'expired',
  LOGIN_CODE_USED: 'expired',
  LOGIN_FAILED: 'failed',
  SESSION_CHECK_UNAVAILABLE: 'failed',
  SIGNED_OUT: 'signedOut',
} as const

/** The reason for which a page is shown. */
export type PageCode = keyof typeof pageKinds

/** A page that an app can replace. */
type PageKind = (typeof pageKinds)[PageCode]

/** The content of a page for a visitor. It contains nothing that the visitor must not read. */
export interface PageDetails {
  readonly kind: PageKind
  /** Stable code for `switch` statements. */
  readonly code: PageCode
  /**
   * The reason of a refused sign-in, as the service names it: `not_a_member`, `blocked`, `declined`, `no_access`. A newer
   * service may name others. Undefined for other pages.
   */
  readonly reason: string | undefined
  /** The HTTP status of the page. */
  readonly status: number
  /** The language of the visitor. */
  readonly language: PageLanguage
  /** Plain text in that language. */
  readonly title: string
  /**
   * The reason and the next step, in that language. Plain text that may contain a name from Discord: escape it in HTML.
   * Empty after a sign-out.
   */
  readonly description: string
  /** The address at which the visitor can try again; undefined if that does not help. */
  readonly retryUrl: string | undefined
}

/** HTML, which is sent with the status of the page; or a response of the app, e.g. a redirect. */
type PageAnswer = string | Response

/** Makes a page in place of the one of this library. */
type MakePage = (details: PageDetails) => PageAnswer | Promise<PageAnswer>

/** The pages of an app, in place of those of this library. */
export interface Pages {
  /** The sign-in was refused, or the member lacks a role that the page requires: 403. */
  readonly refused?: MakePage
  /** The sign-in cannot be completed in this browser, or took too long: 400. */
  readonly expired?: MakePage
  /** The service cannot be reached, or cannot sign the visitor in: 503. */
  readonly failed?: MakePage
  /** The visitor signed out: 200. With this page, a sign-out leads to it and not to the start page. */
  readonly signedOut?: MakePage
}

/** Receives each refusal of a person, and may return the page for it. */
export type OnRefused = (details: PageDetails) => PageAnswer | undefined | Promise<PageAnswer | undefined>

/** Chooses the language for a request, as a BCP 47 tag. */
export type ChooseLanguage = (request: Pick<Incoming, 'path' | 'header'>) => string | undefined
