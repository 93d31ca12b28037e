/** The style of the pages. The content security policy contains the digest of this string. */
export const style = `
:root {
  color-scheme: light dark;
  --text: #1c2430; --quiet: #5a6675; --line: #dde2e9; --ground: #fff; --panel: #f5f7fa; --link: #0b57b7;
  --get: #0b6b3a; --post: #0b57b7; --put: #7a4d00; --patch: #7a4d00; --delete: #b3261e;
}
@media (prefers-color-scheme: dark) {
  :root {
    --text: #e4e9f0; --quiet: #9aa7b8; --line: #2c3644; --ground: #12171f; --panel: #1a212c; --link: #7db5ff;
    --get: #6fd39b; --post: #7db5ff; --put: #f0bd66; --patch: #f0bd66; --delete: #ff9a91;
  }
}
* { box-sizing: border-box }
html { scroll-padding-top: 1rem; -webkit-text-size-adjust: 100% }
body { margin: 0; background: var(--ground); color: var(--text); font: 1rem/1.55 system-ui, sans-serif }
a { color: var(--link); text-underline-offset: .15em }
a:focus-visible, pre:focus-visible, summary:focus-visible { outline: 2px solid var(--link); outline-offset: 2px }
code, pre, .path, .name { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; font-size: .9em }
h1, h2, h3, h4, p, ul, ol, dl, dd, pre { margin: 0; padding: 0 }
ul { list-style: none }
h1 { font-size: 1.6rem } h2 { font-size: 1.35rem } h3 { font-size: 1.05rem } h4 { font-size: .9rem; color: var(--quiet) }
h1, h2, h3, main p, .path { overflow-wrap: anywhere }
.skip { position: absolute; left: -99rem }
.skip:focus { left: 1rem; top: 1rem; background: var(--ground); padding: .5rem }
.layout { display: grid; grid-template-columns: minmax(0, 1fr); max-width: 90rem; margin: 0 auto }
nav { padding: 1.25rem 1rem; border-bottom: 1px solid var(--line); font-size: .9rem }
nav .brand { font-weight: 700; font-size: 1.1rem; text-decoration: none; color: var(--text) }
nav ul { display: flex; flex-wrap: wrap; gap: .25rem 1rem; margin-top: .5rem }
nav li ul, .wide { display: none }
nav a { text-decoration: none } nav a:hover { text-decoration: underline }
main { padding: 1.5rem 1rem 4rem; min-width: 0 }
.lead { color: var(--quiet); margin-top: .5rem; max-width: 46rem }
.ways { margin-top: 1rem; max-width: 46rem } .ways li { padding: .2rem 0 }
#api { margin-top: 2.5rem; border-top: 1px solid var(--line); padding-top: 1.5rem }
.index { margin-top: 1.25rem }
.index summary { color: var(--text); font-size: 1rem; font-weight: 600; padding: .35rem 0 }
.index details { border-bottom: 1px solid var(--line) }
.index ul { padding: 0 0 .75rem 1.25rem }
.index li { padding: .15rem 0; font-size: .9rem; overflow-wrap: anywhere }
.index a { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; text-decoration: none }
.chapter { margin-top: 2.5rem }
.endpoint, .error { border-top: 1px solid var(--line); padding: 1.5rem 0; margin-top: 1rem; display: grid;
  grid-template-columns: minmax(0, 1fr); gap: 1rem 2rem }
.endpoint:target > header, .error:target h2 { background: var(--panel); outline: .5rem solid var(--panel) }
.endpoint .path { display: block; margin-top: .15rem; color: var(--text); text-decoration: none }
.endpoint .path:hover { text-decoration: underline }
.method { font-weight: 700; margin-right: .5em }
.get { color: var(--get) } .post { color: var(--post) } .put { color: var(--put) } .patch { color: var(--patch) }
.delete { color: var(--delete) }
.said > * + *, .shown > * + * { margin-top: .75rem }
dl { border-top: 1px solid var(--line) }
.field { border-bottom: 1px solid var(--line); padding: .4rem 0 }
.field dt { display: flex; flex-wrap: wrap; gap: 0 .75rem; align-items: baseline }
.name { font-weight: 600; overflow-wrap: anywhere }
.quiet, summary { color: var(--quiet); font-size: .9rem }
summary { cursor: pointer }
.type, .meaning { color: var(--quiet); font-size: .88rem; overflow-wrap: anywhere }
.optional::before { content: "optional, " }
.depth-1 { padding-left: 1rem } .depth-2 { padding-left: 2rem } .depth-3 { padding-left: 3rem }
.items { list-style: disc; padding-left: 1.25rem } ol.items { list-style: decimal }
.items li { padding: .15rem 0; overflow-wrap: anywhere }
.refusals li, .where li { padding: .15rem 0; font-size: .9rem; overflow-wrap: anywhere }
.status { display: inline-block; min-width: 2.5rem; color: var(--quiet) }
pre { background: var(--panel); border: 1px solid var(--line); border-radius: .4rem; padding: .75rem;
  overflow: auto; max-height: 26rem; line-height: 1.45; font-size: .82rem; tab-size: 2 }
.wrap { white-space: pre-wrap; margin: .75rem 0 }
@media (min-width: 60rem) {
  .layout { grid-template-columns: 18rem minmax(0, 1fr) }
  nav { position: sticky; top: 0; align-self: start; height: 100vh; overflow: auto; border: 0;
    border-right: 1px solid var(--line) }
  nav ul, nav li ul { display: block; margin-top: 0 }
  .wide { display: list-item }
  nav > ul > li { margin-top: 1rem; font-weight: 600 }
  nav li ul li { font-weight: 400; padding: .12rem 0; line-height: 1.35; overflow-wrap: anywhere }
  main { padding: 2rem 2.5rem 6rem }
}
@media (min-width: 80rem) {
  .endpoint { grid-template-columns: minmax(0, 1fr) 27rem }
  .endpoint > header { grid-column: 1 / -1 }
}
@media print { nav { display: none } pre { max-height: none } }
`
