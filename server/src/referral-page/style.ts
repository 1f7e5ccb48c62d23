/** The page's one style sheet, for phones first; `--brand` and `--on-brand` are the company's. */
export const STYLE = `
@font-face { font-family: Titres; font-weight: 650; font-display: swap; src: url(/titres.woff2) format('woff2'); }
@font-face { font-family: 'Titres à venir'; src: local('Arial'), local('Liberation Sans'), local('Helvetica Neue'); ascent-override: 93%; descent-override: 27%; line-gap-override: 0%; }
:root { color-scheme: light dark; --page: light-dark(#f8f6f0, #14171f); --sheet: light-dark(#fffefc, #1b1f2a); --ink: light-dark(#1a1f36, #eceef4);
  --soft: light-dark(#4d5263, #b4b9c7); --line: light-dark(#dedbd2, #343a4a); --edge: light-dark(#868377, #7c8294); --wrong: light-dark(#a3201f, #ff9d94);
  --wrong-veil: light-dark(#fbeceb, #3a2024); }
*, ::before { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink); font: 17px/1.5 system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif; overflow-wrap: anywhere; }
header, main { max-width: 34rem; margin: 0 auto; padding: 0 20px; }
header { display: flex; align-items: center; gap: 12px; padding-top: 20px; padding-bottom: 16px; font-weight: 600; }
header img { height: 40px; max-width: 140px; object-fit: contain; }
main { background: var(--sheet); border-top: 4px solid var(--brand); padding-top: 28px; padding-bottom: 28px; }
h1, h2, legend, header { font-family: Titres, 'Titres à venir', system-ui, sans-serif; font-weight: 650; }
h1 { margin: 0 0 12px; font-size: 1.75rem; line-height: 1.2; letter-spacing: -.015em; text-wrap: balance; }
h2 { margin: 0 0 8px; font-size: 1.06rem; }
.picture { display: block; width: 100%; height: auto; aspect-ratio: 1200 / 630; object-fit: cover; margin: 0 0 20px; border-radius: 10px; background: var(--page); }
.lead { margin: 0 0 24px; color: var(--soft); white-space: pre-line; }
.lead.strong { margin-bottom: 8px; color: var(--ink); font-size: 1.12rem; }
.lead.strong ~ .offer { margin-top: 24px; }
.text { white-space: pre-line; }
.offer { margin: 0 0 24px; padding: 0 18px; border: 1px solid var(--line); border-radius: 10px; background: var(--page); }
.offer section { margin: 0; padding: 14px 0; border-top: 1px solid var(--line); color: inherit; font-size: 1rem; }
.offer section:first-child { border-top: 0; }
.offer h2 { margin: 0 0 2px; color: var(--soft); font-size: .94rem; }
.offer p { margin: 0; }
.quiet { margin: 32px 0 0; color: var(--soft); font-size: .94rem; }
label, legend { display: block; margin: 16px 0 6px; padding: 0; font-weight: 600; }
legend { float: left; width: 100%; margin-top: 4px; font-family: inherit; }
.choice { margin: 20px 0 0; padding: 0; border: 0; min-width: 0; }
.ways { clear: both; display: flex; gap: 8px; }
.ways span { position: relative; flex: 1 1 0; }
.ways input { position: absolute; inset: 0; height: 100%; margin: 0; opacity: 0; cursor: pointer; }
.ways label { display: flex; align-items: center; justify-content: center; gap: 7px; min-height: 52px; margin: 0; padding: 8px 4px; white-space: nowrap; border: 1px solid var(--edge); border-radius: 8px; background: var(--page); }
.ways label::before { content: ''; flex: none; width: 18px; height: 18px; border: 1.5px solid var(--edge); border-radius: 50%; }
.ways input:checked + label { border-color: var(--ink); outline: 1px solid var(--ink); outline-offset: -2px; }
.ways input:checked + label::before { border: 6px solid var(--ink); }
.ways input:focus-visible + label { outline: 3px solid var(--ink); outline-offset: 2px; }
.choice[aria-invalid] { border: 0; }
.choice[aria-invalid] label { border-color: var(--wrong); }
.said { margin: 8px 0 0; color: var(--soft); font-size: .94rem; }
@supports selector(:has(*)) { .said { display: none; } .choice:has(#call:checked) .call, .choice:has(#sms:checked) .sms, .choice:has(#email:checked) .email { display: block; } }
input, textarea { width: 100%; min-height: 48px; padding: 11px 14px; border: 1px solid var(--edge); border-radius: 8px; background: var(--page); color: inherit; font: inherit; }
textarea { resize: vertical; }
[aria-invalid] { border: 2px solid var(--wrong); }
.short { width: 6rem; }
label:has(+ .hint) { margin-bottom: 0; }
.hint { margin: 0 0 6px; color: var(--soft); font-size: .94rem; }
.error { margin: 6px 0 0; color: var(--wrong); font-weight: 600; font-size: .94rem; }
.alert { margin: 0 0 20px; padding: 14px 16px; border-left: 4px solid var(--wrong); border-radius: 4px; background: var(--wrong-veil); }
.trap { position: absolute; left: -200vw; width: 1px; height: 1px; overflow: hidden; }
button { width: 100%; min-height: 52px; margin: 8px 0 0; padding: 12px 20px; border: 1px solid var(--edge); border-radius: 8px; background: var(--brand); color: var(--on-brand); font: inherit; font-weight: 650; cursor: pointer; }
button.second { background: none; color: var(--ink); }
button[aria-disabled], button:disabled { opacity: .7; }
:focus-visible { outline: 3px solid var(--ink); outline-offset: 2px; }
section { margin-top: 32px; padding-top: 20px; border-top: 1px solid var(--line); color: var(--soft); font-size: .94rem; }
section h2, section form { color: var(--ink); }
section button { margin-top: 20px; }
section p { margin: 0 0 10px; }
dl { margin: 0 0 20px; }
dt { margin-top: 12px; color: var(--soft); font-size: .94rem; }
dd { margin: 0; }
small { color: var(--soft); }
.done { border-color: var(--brand); background: var(--page); }
summary { min-height: 48px; padding: 11px 0; font-weight: 600; color: var(--ink); cursor: pointer; }
button.danger { border-color: var(--wrong); background: none; color: var(--wrong); }
a { color: inherit; }
@media (min-width: 40rem) { body { padding: 24px 0 48px; } main { padding: 36px 40px; border-radius: 4px 4px 12px 12px; } header { padding-left: 40px; padding-right: 40px; } }
`;
