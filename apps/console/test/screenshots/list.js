/**
 * Pictures of the console for the documentation. `npm run screenshots` takes them of the demo community.
 *
 * @typedef {object} Screenshot
 * @property {string} file below docs/images
 * @property {string} route as in apps/console/src/routes.tsx; `$id` is a project's or a member's
 * @property {string} [of] the name of that project or member, which the console's search finds
 * @property {string} [query] the query of the address
 * @property {RegExp} title
 * @property {1280 | 390} width
 * @property {'light' | 'dark'} look
 * @property {string} says a description of the picture, for readers and as its alternative text
 */

/** @type {readonly Screenshot[]} */
export const screenshots = [
  {
    file: 'overview-light.webp',
    route: '/overview',
    title: /^Overview$/,
    width: 1280,
    look: 'light',
    says: 'Overview: status, problems with their remedies, and the newest changes.',
  },
  {
    file: 'overview-dark.webp',
    route: '/overview',
    title: /^Overview$/,
    width: 1280,
    look: 'dark',
    says: 'The same in dark mode.',
  },
  {
    file: 'project-keys.webp',
    route: '/projects/$id/keys',
    of: 'Regatta Tickets',
    title: /^Regatta Tickets$/,
    width: 1280,
    look: 'light',
    says: 'A project’s keys, with their last use. Replace a key with a grace period, revoke it, or restore it.',
  },
  {
    file: 'access.webp',
    route: '/access',
    title: /^Access$/,
    width: 1280,
    look: 'light',
    says: 'Access: every project and every server. A cell opens to change it, and the trail lists all changes.',
  },
  {
    file: 'member-why.webp',
    route: '/members/$id/why',
    of: 'ada.o',
    query: 'project=Regatta Tickets',
    title: /^Ada/,
    width: 1280,
    look: 'light',
    says: 'The checks that allow or refuse a member, and the result with other roles.',
  },
  {
    file: 'audit.webp',
    route: '/audit',
    title: /^Audit$/,
    width: 1280,
    look: 'dark',
    says: 'Audit: each change with the values before and after, and the result of the integrity check.',
  },
]

/** The folder of the pictures, from the root of the repository. */
export const picturesFolder = 'docs/images'
