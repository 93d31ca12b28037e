import { errors, type KoaContextWithOIDC } from 'oidc-provider'
import type { Brand } from '#platform/http/brand'
import { type RenderedPage, renderPage } from '#platform/http/page'
import { inLanguage, type Reader, readerOf } from '#platform/http/reader'
import { noticeOfReason } from '../../pages/refusal-notice.ts'
import { apiTexts, consentDeclined } from './consent-page.ts'
import { LoginRefused } from './login-refused.ts'
import { OidcRequest } from './oidc-request.ts'
import type { RequestedApi } from './requested-consent.ts'

/** The problems with a code, by the library's names for them. */
const problems = {
  NoCodeError: 'deviceNoCode',
  NotFoundError: 'deviceUnknown',
  ExpiredError: 'deviceExpired',
  AlreadyUsedError: 'deviceUsed',
  InvalidClient: 'deviceSiteOff',
} as const

const isProblem = (name: string): name is keyof typeof problems => Object.hasOwn(problems, name)

/** Errors that are temporary. */
const passing = ['temporarily_unavailable', 'server_error']

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
 * Reads the language of a device page. Only its first step can be loaded again. The switch keeps a code that a link
 * contained, which the address for the library does not.
 */
function readerAt(ctx: KoaContextWithOIDC): Reader {
  const { req } = ctx
  const { language, path } = readerOf(req, { hasSwitch: ctx.path === '/device' })
  const userCode = req instanceof OidcRequest ? req.userCode : undefined
  if (path === undefined || userCode === undefined) return inLanguage(language, path)
  return inLanguage(language, `/device?${new URLSearchParams({ user_code: userCode })}`)
}

const secretOf = (ctx: KoaContextWithOIDC) => String(ctx.oidc.session?.state?.['secret'] ?? '')

/** Asks for the code that the device shows. */
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
 * Renders the page for a form of another browser, a step that this browser did not start, or a browser without cookies.
 */
const overPage = (reader: Reader) =>
  renderPage(reader, {
    title: reader.say('deviceOverTitle'),
    paragraphs: [reader.say('deviceOver'), reader.say('deviceOverAdvice')],
    link: { href: '/device', text: reader.say('deviceTitle') },
  })

/** The subject of the question, and the address of the next sign-in: `form-action` restricts a form's redirects, too. */
interface Confirm {
  readonly site: string
  readonly api: RequestedApi | undefined
  readonly userCode: string
  readonly platformUrl: string
  readonly brand: Brand
}

/** Asks the person to confirm that the device is the one in front of them. */
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

export function showConnected(ctx: KoaContextWithOIDC): void {
  const reader = readerAt(ctx)
  const { say } = reader
  show(ctx, renderPage(reader, { title: say('deviceDoneTitle'), paragraphs: [say('deviceDone')] }))
}

/** Explains why the device was not connected: the member canceled, or `cause` refused the sign-in. */
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
