/** The page's one style sheet, for phones first; `--brand` and `--on-brand` are the company's. */
export const STYLE = `
:root { color-scheme: light dark; --page: light-dark(#f8f6f0, #14171f); --sheet: light-dark(#fffefc, #1b1f2a); --ink: light-dark(#1a1f36, #eceef4);
  --soft: light-dark(#4d5263, #b4b9c7); --line: light-dark(#dedbd2, #343a4a); --edge: light-dark(#868377, #7c8294); --wrong: light-dark(#a3201f, #ff9d94);
  --wrong-veil: light-dark(#fbeceb, #3a2024); }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink); font: 17px/1.5 system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif; overflow-wrap: anywhere; }
header, main { max-width: 34rem; margin: 0 auto; padding: 0 20px; }
header { display: flex; align-items: center; gap: 12px; padding-top: 20px; padding-bottom: 16px; font-weight: 600; }
header img { height: 40px; max-width: 140px; object-fit: contain; }
main { background: var(--sheet); border-top: 4px solid var(--brand); padding-top: 28px; padding-bottom: 28px; }
h1 { margin: 0 0 12px; font-size: 1.75rem; line-height: 1.2; letter-spacing: -.015em; text-wrap: balance; }
h2 { margin: 0 0 8px; font-size: 1.06rem; }
.lead { margin: 0 0 24px; color: var(--soft); white-space: pre-line; }
label { display: block; margin: 16px 0 6px; font-weight: 600; }
input, textarea { width: 100%; min-height: 48px; padding: 11px 14px; border: 1px solid var(--edge); border-radius: 8px; background: var(--page); color: inherit; font: inherit; }
textarea { resize: vertical; }
[aria-invalid] { border: 2px solid var(--wrong); }
.short { width: 6rem; }
.hint { margin: 20px 0 -8px; color: var(--soft); font-size: .94rem; }
.error { margin: 6px 0 0; color: var(--wrong); font-weight: 600; font-size: .94rem; }
.alert { margin: 0 0 20px; padding: 14px 16px; border-left: 4px solid var(--wrong); border-radius: 4px; background: var(--wrong-veil); }
.check { display: flex; gap: 12px; align-items: flex-start; margin: 24px 0; }
.check input { flex: none; width: 24px; min-height: 24px; height: 24px; margin: 1px 0 0; accent-color: var(--brand); }
.check label { margin: 0; font-weight: 400; }
.check span { color: var(--soft); }
.trap { position: absolute; left: -200vw; width: 1px; height: 1px; overflow: hidden; }
button { width: 100%; min-height: 52px; margin: 8px 0 0; padding: 12px 20px; border: 1px solid var(--edge); border-radius: 8px; background: var(--brand); color: var(--on-brand); font: inherit; font-weight: 650; cursor: pointer; }
button.second { background: none; color: var(--ink); }
button[aria-disabled] { opacity: .7; }
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
