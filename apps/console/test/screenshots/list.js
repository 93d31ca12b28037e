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
 * @property {string} says the caption above the picture
 * @property {string} alt the alternative text: it names the page, because the caption describes it
 */

/** @type {readonly Screenshot[]} */
export const screenshots = [
  {
    file: 'overview-light.webp',
    route: '/overview',
    title: /^Overview$/,
    width: 1280,
    look: 'light',
    says: 'Overview: the status, problems with their fixes, and the latest changes.',
    alt: 'The page Overview.',
  },
  {
    file: 'overview-dark.webp',
    route: '/overview',
    title: /^Overview$/,
    width: 1280,
    look: 'dark',
    says: 'Overview in dark mode.',
    alt: 'The page Overview in dark mode.',
  },
  {
    file: 'project-keys.webp',
    route: '/projects/$id/keys',
    of: 'Regatta Tickets',
    title: /^Regatta Tickets$/,
    width: 1280,
    look: 'light',
    says: 'The keys of a project, with their last use. Replace a key with a grace period, revoke it, or restore it.',
    alt: 'The tab Keys of a project.',
  },
  {
    file: 'access.webp',
    route: '/access',
    title: /^Access$/,
    width: 1280,
    look: 'light',
    says: 'Access: every project and every server. Open a cell to change the access. The trail below lists all changes.',
    alt: 'The page Access.',
  },
  {
    file: 'member-why.webp',
    route: '/members/$id/why',
    of: 'ada.o',
    query: 'project=Regatta Tickets',
    title: /^Ada/,
    width: 1280,
    look: 'light',
    says: 'Why: the checks that allow or refuse a member, and the result with other roles.',
    alt: 'The tab Why of a member.',
  },
  {
    file: 'audit.webp',
    route: '/audit',
    title: /^Audit$/,
    width: 1280,
    look: 'dark',
    says: 'Audit: each change with the values before and after it, and the result of the integrity check.',
    alt: 'The page Audit.',
  },
]

/** The folder of the pictures, from the root of the repository. */
export const picturesFolder = 'docs/images'
