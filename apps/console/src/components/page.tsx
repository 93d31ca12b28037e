import { Link, useLocation } from '@tanstack/react-router'
import { type ReactNode, useEffect, useRef } from 'react'
import { Copyable } from './copy.tsx'
import { type Guide, guideAddress, guides } from './guides.ts'

interface PageProps {
  readonly title: string
  /** What the page is for, where its title does not say. */
  readonly lead?: ReactNode
  readonly actions?: ReactNode
  readonly picture?: ReactNode
  /** The guide that explains the page. */
  readonly guide?: Guide
  /** The ID of what the page shows, to copy. */
  readonly id?: string | undefined
  /** Where it belongs: the way up. */
  readonly up?: { readonly to: string; readonly text: string }
  readonly width?: 'normal' | 'wide' | 'narrow'
  readonly children: ReactNode
}

/** A page of the console: its title is that of the window, too, and what gets the focus when it opens. */
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
  /** A table fills it to its edges. */
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

/** The parts of one thing, each with an address of its own. */
export function Tabs({ label, tabs }: { label: string; tabs: readonly { to: string; text: string }[] }) {
  const { pathname } = useLocation()
  const strip = useRef<HTMLElement>(null)
  // Where they are more than fit, the one that is open is seen.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the page that is open decides which it is.
  useEffect(() => {
    const current = strip.current?.querySelector('[aria-current="page"]')
    current?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [pathname])
  return (
    <nav className="tabs" aria-label={label} ref={strip}>
      {tabs.map(({ to, text }) => (
        <Link key={to} to={to} activeOptions={{ exact: true, includeSearch: false }}>
          {text}
        </Link>
      ))}
    </nav>
  )
}

/** Names and values. */
export const Facts = ({ of }: { of: readonly (readonly [string, ReactNode])[] }) => (
  <dl className="facts">
    {of.map(([name, value]) => (
      <div key={name} style={{ display: 'contents' }}>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
)

/** A few numbers that say how things are. */
export const Figures = ({ of }: { of: readonly { name: string; value: ReactNode; note?: ReactNode }[] }) => (
  <dl className="figures">
    {of.map(({ name, value, note }) => (
      <div key={name} className="figure">
        <dt>{name}</dt>
        <dd>
          {value}
          {note && <small>{note}</small>}
        </dd>
      </div>
    ))}
  </dl>
)
