import type { ReactNode } from 'react';
import { french } from '@parrain/domain/typography';

/** The room of a section of the page. */
export const sectionClass = 'mx-auto max-w-[75rem] px-5 py-11 sm:px-8 lg:py-13';

/** The title of a section of the page, and the sentence under it. */
export function SectionTitle({ id, title, children }: { id: string; title: string; children?: ReactNode }) {
  return (
    <header>
      <h2 id={id} className="text-[clamp(1.625rem,1.2rem+1.9vw,2.5rem)] leading-[1.1] tracking-[-0.028em]">
        {french(title)}
      </h2>
      {children && <p className="mt-2 text-lg text-encre-soft">{children}</p>}
    </header>
  );
}
