import type { Reply } from '../http/call.ts'
import { html } from './html.ts'
import { page } from './page.ts'

/** Returns the page that the platform shows for an invalid authorize request, instead of a redirect. */
export const refusalPage = (problem: string): Reply =>
  page({
    title: 'Cannot continue',
    status: 400,
    main: html`<main class="card narrow" aria-labelledby="title">
<h1 id="title">This link does not work</h1>
<p>${problem}</p>
<p class="quiet">The application that sent you here made a mistake in its request. Nothing was sent back to it.</p>
</main>`,
  })
