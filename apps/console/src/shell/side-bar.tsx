import type { AdminProfile } from '@rolecall/sdk/admin'
import { Link, useLocation } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { logOut } from '../api/session.ts'
import { Button } from '../components/button.tsx'
import { Icon } from '../components/icon.tsx'
import { Picture } from '../components/picture.tsx'
import { openPalette } from './keyboard.tsx'
import { Brand } from './login-page.tsx'
import { type Place, placesOf } from './places.ts'

/** The side bar with the pages of the console. On a narrow screen, it is a menu. */
export const SideBar = ({ profile }: { profile: AdminProfile }) => {
  const { pathname } = useLocation()
  const [isOpen, setOpen] = useState(false)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the menu closes with every page that is opened.
  useEffect(() => setOpen(false), [pathname])
  const places = placesOf(profile)
  const links = (isAside: boolean) =>
    places
      .filter((place) => (place.isAside ?? false) === isAside)
      .map((place) => <PlaceLink key={place.to} place={place} />)
  return (
    <header className="side" data-open={isOpen || undefined}>
      <div className="side-head">
        <Link to="/" className="side-brand" aria-label="Rolecall, start">
          <Brand />
        </Link>
        <span className="side-toggle row">
          <Button kind="quiet" size="icon" aria-label="Search" onClick={openPalette}>
            <Icon name="search" />
          </Button>
          <Button
            kind="quiet"
            size="icon"
            aria-label="Menu"
            aria-expanded={isOpen}
            onClick={() => setOpen(!isOpen)}
          >
            <Icon name={isOpen ? 'close' : 'menu'} />
          </Button>
        </span>
      </div>
      <div className="side-body">
        <button type="button" className="side-search" onClick={openPalette}>
          <Icon name="search" size={14} />
          Search
          <kbd>{isMac ? '⌘' : 'Ctrl'} K</kbd>
        </button>
        <nav aria-label="Main">
          <ul>{links(false)}</ul>
          <ul className="side-aside">{links(true)}</ul>
        </nav>
        <div className="side-self">
          <Picture url={profile.avatar} name={nameOf(profile)} />
          <span className="side-self-name">
            <bdi>{nameOf(profile)}</bdi>
            <small>{profile.isSystemAdmin ? 'System Admin' : profile.isAuditor ? 'Auditor' : 'Owner'}</small>
          </span>
          <Button
            kind="quiet"
            size="icon"
            aria-label="Sign out"
            title="Sign out"
            onClick={() => void logOut()}
          >
            <Icon name="out" />
          </Button>
        </div>
      </div>
    </header>
  )
}

const PlaceLink = ({ place: { to, text, icon } }: { place: Place }) => (
  <li>
    <Link to={to} className="side-link" activeProps={{ 'aria-current': 'page' }}>
      <Icon name={icon} />
      {text}
    </Link>
  </li>
)

const nameOf = ({ preferredName, displayName, globalName, username }: AdminProfile): string =>
  preferredName ?? displayName ?? globalName ?? username

const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent)
