// The look of the reference page, added to that of all pages (page.ts).

export const referenceStyle = `
:root { --get: #1f6f63; --post: #2456a6; --put: #8a5a00; --delete: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --get: #6cc5b4; --post: #8ab4f8; --put: #e8b75c; --delete: #f2938c; } }
html { scroll-padding-top: 1.25rem; }
body > header { padding-inline: 1.5rem; }
.page { display: grid; grid-template-columns: 18rem minmax(0, 1fr); }
.page > main { max-width: 78rem; margin: 0; padding: 2.5rem clamp(1.25rem, 3vw, 3.5rem) 5rem; }
.index { display: block; position: sticky; top: 0; height: 100vh; overflow-y: auto; padding: 1.5rem 1rem 3rem 1.5rem; border-right: 1px solid var(--line);
  font-size: .875rem; line-height: 1.4; scrollbar-width: thin; }
.index ul { list-style: none; margin: 0; padding: 0; }
.index .group { margin-bottom: 1.1rem; }
.index .group > a { font-weight: 650; color: var(--ink); }
.index a { display: block; padding: .22rem .4rem; border-radius: 5px; color: var(--soft); text-decoration: none; overflow-wrap: anywhere; }
.index a:hover { background: var(--code); color: var(--ink); }
.index li li a { display: flex; gap: .5rem; align-items: baseline; }
.index .method { flex: none; width: 2.9rem; font-size: .625rem; }
.filter { margin: 0 0 1rem; } .filter label { display: block; font-size: .8rem; color: var(--soft); }
.filter input { width: 100%; font: inherit; color: inherit; background: var(--card); border: 1px solid var(--soft); border-radius: 6px; padding: .4rem .6rem; }
.filter input:focus-visible, summary:focus-visible, pre:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.filter [role=status] { display: block; min-height: 1.2em; font-size: .8rem; color: var(--soft); }
.method { font: 650 .75rem/1.4 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; letter-spacing: .02em; }
.get { color: var(--get); } .post { color: var(--post); } .put, .patch { color: var(--put); } .delete { color: var(--delete); }
.page h2 { font-size: 1.6rem; letter-spacing: -.015em; margin: 4rem 0 .25rem; padding-top: 1.5rem; border-top: 3px solid var(--accent); }
.page h2 + p { font-size: 1.05rem; color: var(--soft); }
.page h3 { font-size: 1.2rem; margin: 0 0 .4rem; letter-spacing: -.01em; overflow-wrap: anywhere; }
.page h3 a { color: inherit; text-decoration: none; } .page h3 a:hover { text-decoration: underline; }
.page h3 + .fields { margin-top: 1rem; }
.page section > h3:not([id]) { margin-top: 2rem; }
.page h4, .page h5 { font-size: .8rem; font-weight: 650; color: var(--soft); text-transform: uppercase; letter-spacing: .06em; margin: 1.6rem 0 .4rem; }
.page h5 code { text-transform: none; letter-spacing: 0; }
.operation { padding: 2.25rem 0; border-bottom: 1px solid var(--line); }
.operation:last-child { border: 0; }
.operation:target > h3 a { color: var(--accent); }
.sides > div { min-width: 0; }
.call { display: flex; gap: .6rem; align-items: baseline; } .call code { background: none; padding: 0; font-size: .95rem; }
.call .method { padding: .1rem .4rem; border-radius: 4px; background: color-mix(in srgb, currentColor 12%, transparent); }
.auth { font-size: .9rem; color: var(--soft); margin: 0 0 .6rem; }
.fields { list-style: none; margin: .4rem 0; padding: 0; }
.fields > li { padding: .7rem 0; border-top: 1px solid var(--line); }
.fields p { margin: .15rem 0; font-size: .95rem; }
.fields .fields { margin: .6rem 0 0; padding-left: 1rem; border-left: 2px solid var(--line); }
.fields .fields > li:first-child { border-top: 0; padding-top: .1rem; }
.name { font-weight: 650; background: none; padding: 0; }
.type { color: var(--soft); font-size: .875rem; }
.required { font-size: .75rem; font-weight: 600; color: var(--delete); margin-left: .2rem; }
.optional { font-size: .8rem; color: var(--soft); margin-left: .2rem; }
.fields .rules, .rules { font-size: .85rem; color: var(--soft); } .rules code { color: var(--ink); font-size: .8rem; }
.status { font-weight: 600; }
details.errors { margin-top: .6rem; }
summary { cursor: pointer; font-size: .95rem; } summary .status { font-weight: 400; font-size: .85rem; margin-left: .15rem; }
.errors dl { grid-template-columns: 3rem minmax(0, 1fr); gap: .6rem .8rem; margin: .8rem 0; font-size: .92rem; }
.errors dd code { font-size: .8rem; }
.example pre { margin: .4rem 0; font-size: .8rem; max-height: 32rem; overflow: auto; white-space: pre-wrap; overflow-wrap: anywhere; }
.example summary { font-weight: 600; color: var(--accent); }
@media (min-width: 75rem) {
  .sides { display: grid; grid-template-columns: minmax(0, 1fr) minmax(20rem, 42%); gap: 2.5rem; }
  .example > :first-child { margin-top: .2rem; }
  .example pre { position: sticky; top: 1.25rem; }
}
@media (max-width: 56rem) {
  body > header { padding-inline: 1.25rem; }
  .page { display: block; }
  .index { position: static; height: auto; max-height: 40vh; margin: 1rem 1.25rem 0; padding: 1rem; border: 1px solid var(--line); border-radius: 10px; background: var(--card); }
}
@media print {
  :root { --ink: #000; --soft: #444; --line: #bbb; --ground: #fff; --card: #fff; --code: #f4f4f4; --accent: #1f6f63; }
  body > header, .index, .skip { display: none; }
  .page, .sides { display: block; } .page > main { padding: 0; }
  .operation { break-inside: auto; } h2, h3, h4, h5, .call { break-after: avoid; } .fields > li { break-inside: avoid; }
  .example pre { max-height: none; white-space: pre-wrap; position: static; }
  details::details-content { content-visibility: visible; block-size: auto; }
}
`
