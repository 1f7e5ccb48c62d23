import { buttonClass } from '#ui/button';

/**
 * « Essayer la démo » (UI-14): one click a role, by the sign-in page. The server names in the document whom the demo lets in
 * (server/src/site.ts); without a demo nothing shows.
 */
export function DemoOffer() {
  return (
    <div className="mt-5 hidden flex-wrap items-center gap-x-3 gap-y-2 in-data-[demo]:flex">
      <p id="demo-titre" className="text-encre-soft">
        Essayer la démo, sans inscription
      </p>
      <ul aria-labelledby="demo-titre" className="flex flex-wrap gap-2">
        {entries.map(({ role, label, look }) => (
          <li key={role} className={`hidden ${look}`}>
            <a href={`/auth/login?demo=${role}`} className={buttonClass()}>
              {label}
            </a>
          </li>
        ))}
      </ul>
    </div>
  );
}

const entries = [
  { role: 'admin', label: 'Admin', look: 'in-data-[demo~=admin]:block' },
  { role: 'commercial', label: 'Commercial', look: 'in-data-[demo~=commercial]:block' },
  { role: 'client', label: 'Client', look: 'in-data-[demo~=client]:block' },
] as const;
