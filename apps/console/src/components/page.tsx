import { Link, useLocation } from '@tanstack/react-router'
import { type ReactNode, useEffect, useRef } from 'react'
import { Copyable } from './copy.tsx'
import { type Guide, guideAddress, guides } from './guides.ts'

interface PageProps {
  readonly title: string
  /** The purpose of the page, if the title does not explain it. */
  readonly lead?: ReactNode
  readonly actions?: ReactNode
  readonly picture?: ReactNode
  /** The guide that explains the page. */
  readonly guide?: Guide
  /** The ID of the object on the page, to copy. */
  readonly id?: string | undefined
  /** The link to the parent page. */
  readonly up?: { readonly to: string; readonly text: string }
  readonly width?: 'normal' | 'wide' | 'narrow'
  readonly children: ReactNode
}

/** The frame of a page. Its title is also the title of the window, and receives the focus when the page opens. */
export function Page({
  title,
  lead,
  actions,
  picture,
  guide,
  id,
  up,
  width = 'normal',
  children,
}: PageProps) {
  useEffect(() => {
    document.title = `${title} · Rolecall`
  }, [title])
  return (
    <div className="page" data-width={width}>
      <header className="page-head">
        {picture}
        <div className="page-head-text">
          {up && (
            <nav className="crumbs" aria-label="Breadcrumbs">
              <Link to={up.to}>{up.text}</Link>
              <span aria-hidden="true">/</span>
              <span aria-current="page">
                <bdi>{title}</bdi>
              </span>
            </nav>
          )}
          <h1 tabIndex={-1}>
            <bdi>{title}</bdi>
          </h1>
          {lead && <p className="page-lead">{lead}</p>}
          {id !== undefined && (
            <p className="page-id">
              ID <Copyable text={id} />
            </p>
          )}
        </div>
        {(actions || guide) && (
          <div className="row">
            {guide && (
              <a href={guideAddress(guide)} target="_blank" rel="noreferrer" title={guides[guide]}>
                Guide
              </a>
            )}
            {actions}
          </div>
        )}
      </header>
      {children}
    </div>
  )
}

/** A titled part of a page. */
export const Panel = ({
  title,
  note,
  actions,
  flush = false,
  kind = 'plain',
  children,
}: {
  title?: string
  note?: ReactNode
  actions?: ReactNode
  /** Removes the padding, so that a table fills the panel to its edges. */
  flush?: boolean
  kind?: 'plain' | 'danger'
  children: ReactNode
}) => (
  <section className="panel" data-kind={kind} aria-label={title}>
    {title && (
      <header className="panel-head">
        <div>
          <h2>{title}</h2>
          {note && <p>{note}</p>}
        </div>
        {actions && <div className="row">{actions}</div>}
      </header>
    )}
    <div className={flush ? 'panel-body flush' : 'panel-body'}>{children}</div>
  </section>
)

/** The tabs of an object. Each has its own address, and the first one has the address of the object itself. */
export function Tabs({ label, tabs }: { label: string; tabs: readonly { to: string; text: string }[] }) {
  const { pathname } = useLocation()
  const strip = useRef<HTMLElement>(null)
  // Keeps the open tab in view if the strip scrolls.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the page that is open decides which it is.
  useEffect(() => {
    const current = strip.current?.querySelector('[aria-current="page"]')
    current?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [pathname])
  return (
    <nav className="tabs" aria-label={label} ref={strip}>
      {tabs.map(({ to, text }, at) => (
        <Link key={to} to={to} activeOptions={{ exact: at === 0, includeSearch: false }}>
          {text}
        </Link>
      ))}
    </nav>
  )
}

/** A list of names and values. */
export const Facts = ({ of }: { of: readonly (readonly [string, ReactNode])[] }) => (
  <dl className="facts">
    {of.map(([label, value]) => (
      <div key={label} style={{ display: 'contents' }}>
        <dt>{label}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
)

/** A few numbers that summarize a page. */
export const Figures = ({ of }: { of: readonly { name: string; value: ReactNode; note?: ReactNode }[] }) => (
  <dl className="figures">
    {of.map(({ name: label, value, note }) => (
      <div key={label} className="figure">
        <dt>{label}</dt>
        <dd>
          {value}
          {note && <small>{note}</small>}
        </dd>
      </div>
    ))}
  </dl>
)
