import { type Html, html } from '../pages/html.ts'
import type { World } from '../world/world.ts'
import { actionForm, type View } from './view.ts'

const seconds = (id: string, fallback: number): Html =>
  html`<label for="${id}">for</label> <input id="${id}" class="short" type="number" name="seconds" value="${fallback}" min="1" max="600" required> <span>s</span>`

/** Returns the panel with the faults that can be switched on. None of them affects the control page itself. */
export const troublePanel = (
  world: World,
  view: View,
): Html => html`<section class="panel" aria-labelledby="trouble-title">
<h2 id="trouble-title">Faults</h2>
<div class="trouble">
${actionForm(view, 'storm', html`<button id="storm" class="danger">429 storm</button> ${seconds('storm-for', 15)}`)}
${actionForm(view, 'outage', html`<button id="down" class="danger">Discord down</button> ${seconds('down-for', 15)}`)}
${actionForm(view, 'errors', html`<button id="errors" class="danger">503 everywhere</button> ${seconds('errors-for', 15)}`)}
</div>
<h3>Gateway</h3>
<div class="row">
${actionForm(view, 'gateway-drop', html`<button id="drop" class="secondary">Drop connections</button>`)}
${actionForm(view, 'gateway-freeze', html`<button id="freeze" class="secondary">Freeze</button>`)}
${actionForm(view, 'gateway-thaw', html`<button id="thaw" class="secondary">Thaw</button>`)}
${actionForm(view, 'gateway-reconnect', html`<button id="reconnect" class="secondary">Ask to reconnect</button>`)}
${actionForm(view, 'gateway-invalid', html`<button id="invalid" class="secondary">End sessions</button>`)}
${actionForm(
  view,
  'toggle-intent',
  html`<button id="intent" class="secondary">Member intent: ${
    world.application.memberIntent ? 'on' : 'off'
  }</button>`,
)}
</div>
<div class="row">
${actionForm(view, 'clear', html`<button id="clear" class="primary">End all faults</button>`)}
${actionForm(view, 'reset', html`<button id="reset" class="secondary">Reset to the initial state</button>`)}
</div>
</section>`
