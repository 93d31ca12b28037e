import { type Static, Type } from 'typebox'
import { endpoint } from './endpoint.ts'
import { Closed, Nullable, Uuid } from './formats.ts'
import { logoTypes, maxLogoBytes } from './logo-limits.ts'
import { patterns } from './patterns.ts'

const tag = 'Projects'

/** The appearance of a project on the pages that members see. */
export const Branding = Type.Object({
  accentColor: Nullable(
    Type.String({ description: 'The color of the main button: `#rrggbb` in lower case.' }),
  ),
  hasLogo: Type.Boolean({
    description: 'True if the project has a logo. It is at `GET /api/projects/{id}/logo`.',
  }),
})

/** Changes of the branding. Omitted fields keep their values, null clears them. The logo has its own endpoints. */
export const BrandingInput = Closed({
  accentColor: Type.Optional(
    Nullable(
      Type.String({
        pattern: patterns.color.pattern,
        description: 'A color, such as `#0b57b7`. Text on it is black or white, whichever has more contrast.',
      }),
    ),
  ),
})

const ProjectId = Closed({ id: Uuid })

/** Sets the logo of a project. Refuses with PROJECT_NOT_FOUND, IMAGE_INVALID, UPLOAD_TYPE_UNSUPPORTED. */
export const setLogo = endpoint({
  method: 'PUT',
  path: '/api/admin/projects/{id}/logo',
  tag,
  summary: 'Set the logo of a project',
  description:
    'Send a PNG or WebP image as the body: at most 64 KiB and 512 × 512 pixels, without animation. The image ' +
    'is checked before it is stored.',
  auth: 'admin',
  owners: 'id',
  params: ProjectId,
  upload: logoTypes,
  bodyLimit: maxLogoBytes,
  answers: { 204: null },
  refuses: ['PROJECT_NOT_FOUND', 'IMAGE_INVALID'],
})

/** Removes the logo of a project. Refuses with PROJECT_NOT_FOUND. */
export const removeLogo = endpoint({
  method: 'DELETE',
  path: '/api/admin/projects/{id}/logo',
  tag,
  summary: 'Remove the logo of a project',
  description:
    'Pages then show the name of the project without a logo. If the project has no logo, nothing changes.',
  auth: 'admin',
  owners: 'id',
  params: ProjectId,
  answers: { 204: null },
  refuses: ['PROJECT_NOT_FOUND'],
})

/** Returns the logo of a project to any client. Refuses with LOGO_NOT_FOUND. */
export const getLogo = endpoint({
  method: 'GET',
  path: '/api/projects/{id}/logo',
  tag,
  summary: 'Read the logo of a project',
  description:
    'Sign-in pages load the logo before the member signs in, so no credential is needed. Clients can cache ' +
    'it for five minutes, or for a year if `v` is the hash of the image.',
  auth: 'none',
  params: ProjectId,
  query: Closed({
    v: Type.Optional(Type.String({ maxLength: 64, description: 'The hash of the image, as in its `ETag`.' })),
  }),
  answers: { 200: { picture: logoTypes }, 304: null },
  refuses: ['LOGO_NOT_FOUND'],
})

export type Branding = Static<typeof Branding>
