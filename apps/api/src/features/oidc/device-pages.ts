import { errors, type KoaContextWithOIDC } from 'oidc-provider'
import type { Brand } from '#platform/http/brand'
import { type RenderedPage, renderPage } from '#platform/http/page'
import { inLanguage, type Reader, readerOf } from '#platform/http/reader'
import { noticeOfReason } from '../../pages/refusal-notice.ts'
import { apiTexts, consentDeclined } from './consent-page.ts'
import { LoginRefused } from './login-refused.ts'
import { OidcRequest } from './oidc-request.ts'
import type { RequestedApi } from './requested-consent.ts'

/** The texts for problems with a code, by the class name of the library's error. */
const problems = {
  NoCodeError: 'deviceNoCode',
  NotFoundError: 'deviceUnknown',
  ExpiredError: 'deviceExpired',
  AlreadyUsedError: 'deviceUsed',
  InvalidClient: 'deviceSiteOff',
} as const

const isProblem = (name: string): name is keyof typeof problems => Object.hasOwn(problems, name)

/** The protocol errors that are temporary. */
const passing = ['temporarily_unavailable', 'server_error']

/** Returns the paragraphs that explain an error to the person at the page. */
function problemOf({ say }: Reader, error: Error): string[] {
  if (error instanceof errors.OIDCProviderError && passing.includes(error.error)) return [say('deviceLater')]
  const { name } = error.constructor
  const problem = say(isProblem(name) ? problems[name] : 'deviceFailed')
  return name === 'InvalidClient' ? [problem, say('tellOwners')] : [problem]
}

function show(ctx: KoaContextWithOIDC, { body, headers }: RenderedPage) {
  ctx.set({ ...headers })
  ctx.body = body
}

/**
 * Returns the language of a device page, and the address for the language switch. Only the first page has a switch,
 * because the others cannot be loaded again. The switch keeps a code that the link contained, which is no longer in the
 * address that the library sees.
 */
function readerAt(ctx: KoaContextWithOIDC): Reader {
  const { req } = ctx
  const { language, path } = readerOf(req, { hasSwitch: ctx.path === '/device' })
  const userCode = req instanceof OidcRequest ? req.userCode : undefined
  if (path === undefined || userCode === undefined) return inLanguage(language, path)
  return inLanguage(language, `/device?${new URLSearchParams({ user_code: userCode })}`)
}

/** Returns the secret of the form, which protects it from forged requests. */
const secretOf = (ctx: KoaContextWithOIDC) => String(ctx.oidc.session?.state?.['secret'] ?? '')

/** Shows the page that asks for the code on the device. With an error, shows the page that explains it. */
export function askForCode(ctx: KoaContextWithOIDC, error: Error | undefined): void {
  const reader = readerAt(ctx)
  if (error?.constructor.name === 'AbortedError') {
    show(ctx, refusedPage(ctx, reader, error.cause))
    return
  }
  if (error instanceof errors.SessionNotFound || (error && typeof ctx.oidc.session?.exp !== 'number')) {
    show(ctx, overPage(reader))
    return
  }
  const { req } = ctx
  const { say } = reader
  const content = {
    title: say('deviceTitle'),
    paragraphs: error ? problemOf(reader, error) : [say('device')],
    form: {
      action: '/device',
      hidden: { xsrf: secretOf(ctx) },
      input: {
        name: 'user_code',
        label: say('deviceCode'),
        value: (req instanceof OidcRequest ? req.userCode : undefined) ?? '',
      },
      buttons: [{ name: 'go', value: 'on', text: say('continue') }],
    },
    notes: [say('deviceNote')],
  }
  show(ctx, renderPage(reader, content, ["'self'"]))
}

/**
 * Renders the page for a form that this browser cannot continue: it comes from another browser, its session has ended,
 * or the browser has no cookies.
 */
const overPage = (reader: Reader) =>
  renderPage(reader, {
    title: reader.say('deviceOverTitle'),
    paragraphs: [reader.say('deviceOver'), reader.say('deviceOverAdvice')],
    link: { href: '/device', text: reader.say('deviceTitle') },
  })

/**
 * The values of the confirmation page. `platformUrl` is the address to which the form finally redirects. The content
 * security policy must permit it, because `form-action` also restricts redirects.
 */
interface Confirm {
  readonly site: string
  readonly api: RequestedApi | undefined
  readonly userCode: string
  readonly platformUrl: string
  readonly brand: Brand
}

/** Shows the page on which a person confirms that the device in front of them shows this code. */
export function confirmCode(
  ctx: KoaContextWithOIDC,
  { site, api, userCode, platformUrl, brand }: Confirm,
): void {
  const reader = { ...readerAt(ctx), brand }
  const { say } = reader
  const content = {
    title: say('deviceConfirmTitle', { site }),
    paragraphs: [...apiTexts(reader, site, api), say('deviceConfirm')],
    code: userCode,
    form: {
      action: '/device',
      hidden: { xsrf: secretOf(ctx), user_code: userCode },
      buttons: [
        { name: 'confirm', value: 'yes', text: say('continue') },
        { name: 'abort', value: 'yes', text: say('cancel') },
      ],
    },
  }
  show(ctx, renderPage(reader, content, ["'self'", new URL(platformUrl).origin]))
}

/** Shows the page after a successful sign-in, when the person can return to the device. */
export function showConnected(ctx: KoaContextWithOIDC): void {
  const reader = readerAt(ctx)
  const { say } = reader
  show(ctx, renderPage(reader, { title: say('deviceDoneTitle'), paragraphs: [say('deviceDone')] }))
}

/** Renders the page that explains why the device was not connected. `cause` is the error that refused the sign-in. */
function refusedPage(ctx: KoaContextWithOIDC, reader: Reader, cause: unknown): RenderedPage {
  return renderPage(reader, {
    title: reader.say('deviceRefusedTitle'),
    paragraphs: [...reasonsOf(ctx, reader, cause), reader.say('closePage')],
  })
}

function reasonsOf(ctx: KoaContextWithOIDC, reader: Reader, cause: unknown): readonly string[] {
  const { say } = reader
  const reason =
    cause instanceof LoginRefused ? cause.reason : ctx.oidc.entities.Interaction?.result?.['error_reason']
  if (!(cause instanceof errors.AccessDenied) || reason === 'declined') return [say('deviceCanceled')]
  if (reason === consentDeclined.error_reason) return [say('deviceDeclined')]
  return noticeOfReason(reason)?.(reader) ?? [say('deviceNothing'), say('tellOwners')]
}
