/** The style of the simulator's pages. It differs from Discord's on purpose, so that nobody confuses the two. */
export const style = `
:root {
  color-scheme: light dark;
  --back: #eef3f4; --card: #ffffff; --text: #15262b; --quiet: #4c6068; --line: #cbd8db;
  --accent: #0b6775; --accent-text: #ffffff; --soft: #e3eef0;
  --warn-back: #fff0cf; --warn: #6b4700; --bad-back: #fde3df; --bad: #8c1d10; --good: #17653a;
  --focus: #c2410c;
}
@media (prefers-color-scheme: dark) {
  :root {
    --back: #0e181b; --card: #172428; --text: #e6eff1; --quiet: #a3b6bc; --line: #334a51;
    --accent: #5fc4d3; --accent-text: #06191d; --soft: #20343a;
    --warn-back: #43350f; --warn: #ffd98a; --bad-back: #4a1f1a; --bad: #ffb9ae; --good: #86dfae;
    --focus: #ffa45c;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--back); color: var(--text); font: 16px/1.5 system-ui, sans-serif; }
.notice { margin: 0; padding: .5rem 1rem; background: var(--warn-back); color: var(--warn); text-align: center; font-size: .875rem; }
.card { max-width: 60rem; margin: 2rem auto; padding: 1.75rem; background: var(--card); border: 1px solid var(--line); border-radius: 14px; }
.card.narrow { max-width: 30rem; }
@media (max-width: 62rem) { .card { margin: 1rem; padding: 1.25rem; } }
@media (max-width: 32rem) { .card.narrow { margin: 1rem; } }
h1 { margin: 0 0 .25rem; font-size: 1.5rem; line-height: 1.25; }
h2 { margin: 1.25rem 0 .5rem; font-size: 1rem; }
p { margin: .25rem 0 .75rem; }
.center { text-align: center; }
.quiet, .handle { color: var(--quiet); }
.small { font-size: .8125rem; overflow-wrap: anywhere; }
code { font: .85em ui-monospace, monospace; background: var(--soft); padding: .1em .35em; border-radius: 4px; }
.avatar { border-radius: 50%; display: block; flex: none; background: var(--soft); }
.center .avatar { margin: 0 auto; }
button, input, select { font: inherit; color: inherit; }
button { min-height: 2.75rem; padding: .5rem 1rem; border-radius: 8px; border: 1px solid transparent; cursor: pointer; font-weight: 600; }
button.primary { background: var(--accent); color: var(--accent-text); }
button.secondary { background: var(--soft); border-color: var(--line); }
button.danger { background: var(--bad-back); color: var(--bad); border-color: currentColor; }
button.link { min-height: 1.5rem; padding: 0 .25rem; background: none; color: var(--accent); text-decoration: underline; }
button:hover:not(:disabled) { filter: brightness(1.06) contrast(1.05); }
button:disabled { cursor: not-allowed; opacity: .6; }
:focus-visible { outline: 3px solid var(--focus); outline-offset: 2px; }
input, select { min-height: 2.75rem; padding: .5rem .75rem; background: var(--card); border: 1px solid var(--quiet); border-radius: 8px; min-width: 0; font-weight: 400; }
label { font-weight: 600; font-size: .875rem; }
.search { display: grid; grid-template-columns: 1fr auto; gap: .35rem .5rem; margin: 1rem 0; }
.search label { grid-column: 1 / -1; }
.people { list-style: none; margin: 0; padding: 0; display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 25rem), 1fr)); gap: .6rem; }
.people li { display: grid; }
.person { display: grid; grid-template-columns: auto 1fr; gap: .1rem .85rem; align-items: center; text-align: start; padding: .75rem; background: var(--card); border: 1px solid var(--line); font-weight: 400; }
.person:hover:not(:disabled) { border-color: var(--accent); background: var(--soft); }
.person .avatar { grid-row: span 2; }
.who { overflow-wrap: anywhere; }
.name { font-weight: 650; }
.badges { display: flex; flex-wrap: wrap; gap: .3rem; }
.badge { padding: .05rem .5rem; border-radius: 99px; background: var(--soft); font-size: .8125rem; }
.badge.warn { background: var(--warn-back); color: var(--warn); }
.badge.bad { background: var(--bad-back); color: var(--bad); }
.signed-in { display: flex; flex-wrap: wrap; justify-content: space-between; align-items: center; gap: .25rem 1rem; padding: .6rem .85rem; background: var(--soft); border-radius: 8px; }
.scopes { margin: 0 0 1.25rem; padding: 0; list-style: none; }
.scopes li { padding: .6rem 0; border-bottom: 1px solid var(--line); }
.decision { display: grid; grid-template-columns: 1fr 1fr; gap: .75rem; margin-bottom: 1rem; }
.control { max-width: 86rem; margin: 0 auto; padding: 1.25rem 1rem 3rem; }
.control header h1 { margin-bottom: 0; }
.columns { display: grid; grid-template-columns: minmax(0, 1fr); gap: 1rem; align-items: start; }
.columns > div { display: grid; gap: 1rem; }
@media (min-width: 48rem) { .columns { grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); } }
@media (min-width: 70rem) { .columns { grid-template-columns: minmax(0, 19rem) minmax(0, 1.1fr) minmax(0, 1fr); } }
.panel { background: var(--card); border: 1px solid var(--line); border-radius: 14px; padding: 1.1rem 1.25rem 1.25rem; min-width: 0; }
.panel h2 { margin: 0 0 .35rem; font-size: 1.15rem; }
.panel h3 { margin: 1.1rem 0 .4rem; font-size: .95rem; }
.heading { display: flex; gap: .85rem; align-items: center; overflow-wrap: anywhere; }
.heading p { margin: 0; }
.saying:empty { display: none; }
.said { margin: .5rem 0 1rem; padding: .6rem .9rem; border-radius: 8px; background: var(--soft); border-inline-start: 4px solid var(--accent); }
.said.wrong { background: var(--bad-back); color: var(--bad); border-color: currentColor; }
.picks { list-style: none; margin: 0; padding: 0; }
@media (max-width: 48rem) { .picks { max-height: 24rem; overflow-y: auto; } }
.picks a { display: flex; gap: .7rem; align-items: center; padding: .5rem .6rem; border-radius: 8px; color: inherit; text-decoration: none; overflow-wrap: anywhere; }
.picks a:hover { background: var(--soft); }
.picks a[aria-current] { background: var(--soft); box-shadow: inset 3px 0 var(--accent); }
.picks .handle { font-size: .875rem; }
.tabs { display: flex; flex-wrap: wrap; gap: .4rem; margin: .4rem 0 .6rem; }
.tabs a { padding: .4rem .85rem; border: 1px solid var(--line); border-radius: 99px; color: inherit; text-decoration: none; }
.tabs a[aria-current] { background: var(--accent); color: var(--accent-text); border-color: var(--accent); }
.fields { display: flex; flex-wrap: wrap; gap: .6rem; align-items: end; margin: .5rem 0; }
.fields label { display: grid; gap: .2rem; flex: 1 1 8rem; }
.fields input[type=color] { padding: .2rem; width: 100%; }
.row, .toggles { display: flex; flex-wrap: wrap; gap: .5rem; margin: .6rem 0; }
.toggle { font-weight: 500; background: var(--card); border-color: var(--quiet); padding: .3rem .8rem; border-radius: 99px; }
.toggle[aria-pressed=true] { background: var(--accent); border-color: var(--accent); color: var(--accent-text); }
.toggle[aria-pressed=true]::after { content: " ✓"; }
.dot { width: .8rem; height: .8rem; vertical-align: -.05em; }
.toggle[aria-pressed=true] .dot circle { stroke: var(--accent-text); }
.trouble { display: grid; gap: .6rem; margin-top: .6rem; }
.trouble form { display: flex; flex-wrap: wrap; gap: .5rem; align-items: center; }
.trouble button { min-width: 10rem; }
.short { width: 5rem; }
.roles { list-style: none; margin: 0; padding: 0; }
.roles li { border-bottom: 1px solid var(--line); }
.roles summary { padding: .55rem 0; cursor: pointer; }
.roles details[open] { padding-bottom: .75rem; }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(7rem, 1fr)); gap: .6rem; margin: .5rem 0 1rem; }
.figures div { padding: .5rem .75rem; background: var(--soft); border-radius: 8px; }
.figures dt { font-size: .8125rem; color: var(--quiet); }
.figures dd { margin: 0; font-size: 1.35rem; font-weight: 650; font-variant-numeric: tabular-nums; }
.journal { list-style: none; margin: 0; padding: 0; font-size: .8125rem; overflow-wrap: anywhere; }
.journal li { padding: .2rem 0; }
.messages { list-style: none; margin: 0 0 1rem; padding: 0; display: grid; gap: .5rem; font-size: .875rem; overflow-wrap: anywhere; }
.messages p { margin: 0; }
.embed { padding: .5rem .75rem; background: var(--soft); border-radius: 8px; }
.journal code { background: none; padding: 0; }
.status { display: inline-block; min-width: 2.4rem; font-weight: 650; font-variant-numeric: tabular-nums; }
.status.good { color: var(--good); }
.status.bad { color: var(--bad); }
`
