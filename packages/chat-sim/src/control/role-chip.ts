import type { APIRole } from 'discord-api-types/v10'
import { type Html, html } from '../pages/html.ts'
import type { SimGuild } from '../world/model.ts'
import { compareIds } from '../world/snowflake.ts'

/** Returns the roles of a server, highest first. Roles with equal positions are sorted by ID, as on the platform. */
export const sortedRoles = (guild: SimGuild): APIRole[] =>
  [...guild.roles.values()]
    .filter((role) => role.id !== guild.id)
    .sort((a, b) => b.position - a.position || compareIds(a.id, b.id))

export const hexColor = (color: number): string => `#${color.toString(16).padStart(6, '0')}`

/**
 * Returns a role with a dot in its color. The dot is an SVG, because the page's policy allows no inline styles. It is
 * hollow for a role without a color.
 */
export const roleChip = (role: APIRole): Html =>
  html`<svg class="dot" viewBox="0 0 12 12" aria-hidden="true">${
    role.color === 0
      ? html`<circle cx="6" cy="6" r="4.5" fill="none" stroke="currentColor"/>`
      : html`<circle cx="6" cy="6" r="5" fill="${hexColor(role.color)}"/>`
  }</svg> <bdi>${role.name}</bdi>`
